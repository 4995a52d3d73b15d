// SPDX-License-Identifier: BSD-3-Clause
// SpinLock: for a few instructions, by fibers and threads that do not rest meanwhile.
#pragma once

#include <atomic>
#include <thread>

#include "base/spin.hpp"

namespace comity::sched {

class SpinLock {
 public:
  void lock() noexcept {
    while (held_.exchange(true, std::memory_order_acquire)) {
      for (int looks = 0; held_.load(std::memory_order_relaxed); ++looks) {
        // Its holder is a thread that was preempted.
        if (looks < kLooks) {
          spin_pause();
        } else {
          std::this_thread::yield();
        }
      }
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  static constexpr int kLooks = 200;
  std::atomic<bool> held_{false};
};

}  // namespace comity::sched
