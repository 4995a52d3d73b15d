// SPDX-License-Identifier: BSD-3-Clause
// Sleeping on descriptors.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>

namespace comity::os {

enum class PollEnd { ready, timed_out, refused };

[[nodiscard]] inline pollfd to_read(int descriptor) { return {.fd = descriptor, .events = POLLIN, .revents = 0}; }

// Until one of them is ready for what it is watched for, at most until `deadline_ns` on the clock of now_ns(), kNever for no
// limit. Their revents tell which. Refused: at once, for there are too many of them.
PollEnd poll_until(std::span<pollfd> watched, std::int64_t deadline_ns);

}  // namespace comity::os
