// SPDX-License-Identifier: BSD-3-Clause
// How many system calls the calling thread makes in a step, as a child that traces it counts them. Not: those of other
// threads.
#pragma once

#include <functional>
#include <optional>

namespace bench {

// None where the kernel lets nobody trace this process, or does not tell what it calls (before Linux 5.3). Inside the step
// nothing may ask for the parent's number (getppid), which marks its ends.
[[nodiscard]] std::optional<int> count_system_calls(const std::function<void()>& step);

}  // namespace bench
