// SPDX-License-Identifier: BSD-3-Clause
// Sleeping on a 32-bit word that several processes map, and waking those who do.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "base/clock.hpp"

namespace comity::os {

enum class FutexEnd { woken, changed, timed_out, interrupted };

inline constexpr int kEveryone = std::numeric_limits<int>::max();

// Sleeps while `word` holds `expected`, at most until `deadline_ns` on the clock of now_ns(), kNever for no limit. A wake-up
// without cause is possible: look at the word again.
FutexEnd futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline_ns);

inline FutexEnd futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, Nanoseconds timeout) {
  return futex_wait_until(word, expected, deadline_after(timeout));
}

// Returns how many were woken.
int futex_wake(const std::atomic<std::uint32_t>& word, int count = kEveryone);

}  // namespace comity::os
