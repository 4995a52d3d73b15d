// SPDX-License-Identifier: BSD-3-Clause
// CallClock: how much of a thread's processor time was inside MPI. Not its wall time there: who sleeps in a call takes nothing
// from what other threads compute meanwhile. Told is what must have been inside, because it did not fit outside; the clock of
// the processor is read at the end of a call and at most once in kEvery_ns, so that short calls do not pay for it.
#pragma once

#include <cstdint>

namespace comity::metrics {

// Of a stretch of a thread's life, `mpi_ns` of which it was inside MPI: a thread is on one processor at the most.
[[nodiscard]] std::int64_t processor_ns_inside(std::int64_t cpu_ns, std::int64_t wall_ns, std::int64_t mpi_ns);

// Of one thread, which alone calls.
class CallClock {
 public:
  // After each call; [ns] of processor time inside MPI that have become known.
  [[nodiscard]] std::int64_t after_call(std::int64_t begin_ns, std::int64_t end_ns) noexcept {
    in_mpi_ns_ += end_ns - begin_ns;
    if (end_ns - since_ns_ < kEvery_ns) return 0;
    return since_ns_ == 0 ? first(end_ns - begin_ns) : pass();
  }

 private:
  static constexpr std::int64_t kEvery_ns = 100'000;

  std::int64_t first(std::int64_t took_ns) noexcept;
  std::int64_t pass() noexcept;

  std::int64_t since_ns_ = 0;      // the clock when the processor's was read last; 0: never
  std::int64_t since_cpu_ns_ = 0;  // what that said
  std::int64_t in_mpi_ns_ = 0;     // in calls since then
};

}  // namespace comity::metrics
