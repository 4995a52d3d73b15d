// SPDX-License-Identifier: BSD-3-Clause
// Wall time that all ranks of a node read alike, CPU time of the calling thread, and the CPU it runs on.
#pragma once

#include <mpi.h>
#include <sched.h>
#include <time.h>

namespace twomesh::parallel {

[[nodiscard]] inline double clock_s(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[nodiscard]] inline double thread_cpu_s() { return clock_s(CLOCK_THREAD_CPUTIME_ID); }
[[nodiscard]] inline int current_cpu() { return sched_getcpu(); }

// Seconds since an origin that the ranks agreed on: one reading of the monotonic clock a node, taken right
// after a barrier over all nodes.
class SharedClock {
 public:
  explicit SharedClock(MPI_Comm communicator);  // collective
  [[nodiscard]] double now_s() const { return clock_s(CLOCK_MONOTONIC) - origin_s_; }

 private:
  double origin_s_ = 0.0;
};

}  // namespace twomesh::parallel
