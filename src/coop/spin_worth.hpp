// SPDX-License-Identifier: BSD-3-Clause
// SpinWorth: whether a wait spins before it sleeps, by what spins have been worth. A rank spins for a message that may come within what a wake-up
// costs. Where ranks are not bound the kernel may have put the one that it waits for on the same processor, where nothing comes before the rank
// sleeps: then it comes at once. So after some spins in vain, of which each was followed by a sleep shorter than it, the next waits sleep without; and
// now and then one tries. What the rank loses where that was chance is a wake-up in each of these.
// Thread-safe; of threads at once one may be counted for two.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace comity::coop {

class SpinWorth {
 public:
  // Of the next wait.
  [[nodiscard]] bool takes() {
    const std::uint32_t left = left_.load(kAnyOrder);
    if (left == 0) return true;
    left_.store(left - 1, kAnyOrder);
    return false;
  }
  // A spin has seen the end of its wait, and not at the first look.
  void was_worth() {
    if (in_vain_.load(kAnyOrder) == 0) return;
    in_vain_.store(0, kAnyOrder);
    rest_.store(kFewest, kAnyOrder);
  }
  void was_in_vain() {
    const std::uint32_t in_vain = in_vain_.load(kAnyOrder) + 1;
    if (in_vain < kInVain) return in_vain_.store(in_vain, kAnyOrder);
    const std::uint32_t rest = rest_.load(kAnyOrder);
    left_.store(rest, kAnyOrder);
    rest_.store(std::min(2 * rest, kMost), kAnyOrder);
  }

 private:
  static constexpr auto kAnyOrder = std::memory_order_relaxed;
  static constexpr std::uint32_t kInVain = 4;   // one after the other
  static constexpr std::uint32_t kFewest = 16;  // waits that sleep at once behind them
  static constexpr std::uint32_t kMost = 1024;  // and behind each try in vain twice as many

  std::atomic<std::uint32_t> left_{0};
  std::atomic<std::uint32_t> in_vain_{0};
  std::atomic<std::uint32_t> rest_{kFewest};
};

}  // namespace comity::coop
