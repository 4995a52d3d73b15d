// SPDX-License-Identifier: BSD-3-Clause
// lock_if_soon_free: a lock that is taken where it is free, and waited for, not for ever, while the one who has it is known to give it back soon.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace comity {

// `is_soon_free`: whether who has it now gives it back soon; false: it is not waited for. At most so many times `between`.
template <typename Mutex>
[[nodiscard]] std::unique_lock<Mutex> lock_if_soon_free(Mutex& mutex, const std::atomic<bool>& is_soon_free,
                                                        int most_times, std::chrono::microseconds between) {
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < most_times && !lock && is_soon_free.load(std::memory_order_acquire); ++i) {
    std::this_thread::sleep_for(between);
    (void)lock.try_lock();
  }
  return lock;
}

}  // namespace comity
