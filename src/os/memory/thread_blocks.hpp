// SPDX-License-Identifier: BSD-3-Clause
// Where the threads of a process keep their own data. glibc keeps it at the upper end of a thread's stack, which tells that
// stack from other mappings; the main thread has it elsewhere.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace comity::os {

// An address in the block of each thread but the main one, ascending: of its list of robust mutexes, which the C library keeps in
// there. Threads that have none, end meanwhile or may not be looked at are left out.
[[nodiscard]] std::vector<std::uint64_t> thread_blocks(pid_t process);

}  // namespace comity::os
