// SPDX-License-Identifier: BSD-3-Clause
// FarWaits: how a rank waits where ranks of its job are on other nodes, which cannot ring it: it spins at first, and then looks now
// and then. Two bounds: how late it may see what has come, and how much of a core a wait burns, of which the spin takes half where
// the wait is of 10 ms, and the looks half. Where both cannot be kept it is not later. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/clock.hpp"

namespace comity::coop {

struct FarBounds {
  Nanoseconds late = std::chrono::milliseconds(1);
  std::int64_t burn_percent = 2;  // of a core
};

class FarWaits {
 public:
  explicit FarWaits(FarBounds bounds) : bounds_(bounds) {}

  [[nodiscard]] Nanoseconds spin() const { return kShortestWait * bounds_.burn_percent / (2 * kPercent); }
  // As long as a look may take its half of the core, and no longer than it may be late.
  [[nodiscard]] Nanoseconds nap() const {
    if (bounds_.burn_percent <= 0) return bounds_.late;
    const Nanoseconds rare(look_ns_.load(std::memory_order_relaxed) * 2 * kPercent / bounds_.burn_percent);
    return std::clamp(rare, std::min(kShortestNap, bounds_.late), bounds_.late);
  }
  // What a nap and the look behind it have used of a processor. Others may get lost where threads look at once.
  void note_look(Nanoseconds used) {
    const std::int64_t mean_ns = look_ns_.load(std::memory_order_relaxed);
    look_ns_.store(mean_ns + (std::min(used, kDearestLook).count() - mean_ns) / kMemory, std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t kPercent = 100;
  static constexpr Nanoseconds kShortestWait = std::chrono::milliseconds(10);  // that is to keep the bound
  static constexpr Nanoseconds kShortestNap = std::chrono::microseconds(500);  // shorter ones slow who computes beside
  static constexpr Nanoseconds kDearestLook = std::chrono::milliseconds(1);
  static constexpr std::int64_t kMemory = 8;  // looks that the running mean looks back on

  FarBounds bounds_;
  std::atomic<std::int64_t> look_ns_{10'000};
};

}  // namespace comity::coop
