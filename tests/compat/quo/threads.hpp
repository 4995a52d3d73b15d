// SPDX-License-Identifier: BSD-3-Clause
// The masks of this process's threads, as the kernel has them, and threads that pin themselves.
#pragma once

#include <quo.h>
#include <sys/types.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace conform {

using Cpus = std::vector<int>;  // the system's numbers, ascending

// What the process may use, whatever its launcher has bound it to. First called by the main thread, before others start.
const Cpus& all_cpus();
[[nodiscard]] Cpus mask_of(pid_t thread);
// Of all threads that there are, MPI's own too.
void bind_all(const Cpus& cpus);
void bind_thread(pid_t thread, const Cpus& cpus);
[[nodiscard]] int thread_count();
// The same once all others sleep, for the kernel may list one that was joined for a while, or 5 s later.
[[nodiscard]] int thread_count_at_rest();
// All but the main one, when all of them sleep: in a program that has started none they are the MPI's own. None where one of
// them does not sleep within 5 s.
[[nodiscard]] std::optional<std::vector<pid_t>> other_threads_asleep();
// "0-1,3", in hwloc's list form.
[[nodiscard]] std::string list_of(const Cpus& cpus);
[[nodiscard]] Cpus union_of(const Cpus& a, const Cpus& b);

// The CPUs of an object, found by a push to it.
[[nodiscard]] Cpus cpus_of(QUO_context q, QUO_obj_type_t type, int index);
// Of all objects but one.
[[nodiscard]] Cpus cpus_of_all_but(QUO_context q, QUO_obj_type_t type, int left_out);

// A thread of the program that waits for a message, as one that does input and output.
class PollingThread {
 public:
  PollingThread();
  PollingThread(const PollingThread&) = delete;
  PollingThread& operator=(const PollingThread&) = delete;
  ~PollingThread();
  [[nodiscard]] Cpus mask() const { return mask_of(id_); }

 private:
  int ends_[2] = {-1, -1};  // of a pipe
  std::atomic<pid_t> id_ = 0;
  std::thread thread_;
};

// A thread of the program: pins itself to these CPUs, and then stays.
class PinnedThread {
 public:
  explicit PinnedThread(const Cpus& cpus);
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread();
  [[nodiscard]] Cpus mask() const { return mask_of(id_); }
  void move(const Cpus& cpus) { bind_thread(id_, cpus); }

 private:
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace conform
