// SPDX-License-Identifier: BSD-3-Clause
// The threads of this process, as the kernel lists them.
#pragma once

#include <sys/types.h>

#include <vector>

namespace comity::os {

[[nodiscard]] pid_t this_thread() noexcept;

// Kernel ids of all threads of this process, ascending. Threads that start meanwhile may be missing.
void list_threads(std::vector<pid_t>& threads);

// True when the thread sleeps in poll, select or epoll at this moment: what the progress threads of MPI, PMIx and
// UCX do all day. False also where /proc does not tell.
[[nodiscard]] bool sleeps_in_poll(pid_t thread);

}  // namespace comity::os
