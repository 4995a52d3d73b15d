// SPDX-License-Identifier: BSD-3-Clause
// The threads of this process, as the kernel lists them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "os/files/descriptor.hpp"

namespace comity::os {

[[nodiscard]] pid_t this_thread() noexcept;
// As the kernel keeps it: that of the program, unless the thread has one of its own.
[[nodiscard]] std::string this_thread_name() noexcept;

// Kernel ids of all threads of this process, ascending. Threads that start meanwhile may be missing.
void list_threads(std::vector<pid_t>& threads);

// The same of another process of this pid namespace, without a throw: 0 or the errno (ENOENT: gone).
[[nodiscard]] int list_threads_of(pid_t process, std::vector<pid_t>& threads);

// How many it has, for the price of one stat, as the kernel counts links; none where it is gone, or the kernel does not tell.
[[nodiscard]] std::optional<std::size_t> count_threads_of(pid_t process) noexcept;

// The CPUs that any thread of this process may use.
[[nodiscard]] CpuSet cpus_of_threads();

// How many threads this process has, for the price of one fstat: the kernel counts them as links of /proc/self/task.
class ThreadCount {
 public:
  // Learns whether the kernel counts so; `listed`: how many a listing found just now.
  void calibrate(std::size_t listed);
  // None where the kernel does not, or in a fork child, whose parent's threads these are.
  [[nodiscard]] std::optional<std::size_t> now() const noexcept;

 private:
  [[nodiscard]] std::optional<std::size_t> links() const noexcept;

  Descriptor tasks_;
  bool trusted_ = false;
};

// in_poll: in poll, select or epoll, which is what the progress threads of MPI, PMIx and UCX do nearly all day.
enum class Sleep { in_poll, elsewhere, none };

// At this moment; `elsewhere` also where /proc does not tell.
[[nodiscard]] Sleep sleep_of(pid_t thread);
[[nodiscard]] inline bool sleeps_in_poll(pid_t thread) { return sleep_of(thread) == Sleep::in_poll; }

}  // namespace comity::os
