// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/poll.hpp"

#include <time.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"

namespace comity::os {

PollEnd poll_until(std::span<pollfd> watched, std::int64_t deadline_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  while (true) {
    const std::int64_t left_ns = deadline_ns == kNever ? 0 : std::max<std::int64_t>(0, deadline_ns - now_ns());
    const timespec left{.tv_sec = static_cast<time_t>(left_ns / kSecond),
                        .tv_nsec = static_cast<long>(left_ns % kSecond)};
    const int ready = ::ppoll(watched.data(), watched.size(), deadline_ns == kNever ? nullptr : &left, nullptr);
    if (ready > 0) return PollEnd::ready;
    if (ready == 0) return PollEnd::timed_out;
    if (errno != EINTR) return PollEnd::refused;
  }
}

}  // namespace comity::os
