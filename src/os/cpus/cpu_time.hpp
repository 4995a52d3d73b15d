// SPDX-License-Identifier: BSD-3-Clause
// How long processors have worked for this process, and since when; and a clock that costs less than that of base/clock.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace comity::os {

// [ns] of all threads that the process has and had; a system call.
[[nodiscard]] std::int64_t process_cpu_ns();
// [ns] of the calling thread.
[[nodiscard]] std::int64_t thread_cpu_ns();
// [ns] of a thread of this process; 0 where it has ended.
[[nodiscard]] std::int64_t cpu_ns_of(pid_t thread);
// base/clock's time, up to a tick of the kernel (1 to 10 ms) ago.
[[nodiscard]] std::int64_t coarse_now_ns();

// [ns] When the calling thread began, by base/clock; up to a tick of the kernel too early and never too late. None where /proc
// does not tell. Reads a file.
[[nodiscard]] std::optional<std::int64_t> thread_begin_ns();

}  // namespace comity::os
