// SPDX-License-Identifier: BSD-3-Clause
// How long processors have worked for this process; and a clock that costs less than that of base/clock.
#pragma once

#include <cstdint>

namespace comity::os {

// [ns] of all threads that the process has and had; a system call.
[[nodiscard]] std::int64_t process_cpu_ns();
// [ns] of the calling thread.
[[nodiscard]] std::int64_t thread_cpu_ns();
// base/clock's time, up to a tick of the kernel (1 to 10 ms) ago.
[[nodiscard]] std::int64_t coarse_now_ns();

}  // namespace comity::os
