// SPDX-License-Identifier: BSD-3-Clause
// How long a wait sleeps before it looks again by itself, where others may wake it: an eighth of the time that it has waited, so
// that what nobody wakes it for is late by that, 1 ms at least.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.hpp"

namespace comity {

inline constexpr Nanoseconds kShortestNap = std::chrono::milliseconds(1);
inline constexpr Nanoseconds kLongestNap = std::chrono::milliseconds(10);

[[nodiscard]] inline Nanoseconds nap_after(Nanoseconds waited, Nanoseconds longest = kLongestNap) {
  constexpr int kNapsOfAWait = 8;
  return std::clamp(waited / kNapsOfAWait, kShortestNap, longest);
}

}  // namespace comity
