// SPDX-License-Identifier: BSD-3-Clause
// What the ways to wait are made of: a lock for a few instructions, and those who wait, first come first.
#pragma once

#include <atomic>
#include <thread>

#include "base/spin.hpp"
#include "sched/waiter.hpp"

namespace comity::sched {

// Held by fibers and threads for some instructions, never while they rest.
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

// Under a lock of its owner.
class WaitList {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

  void push(Waiter& waiter) noexcept {
    waiter.next = nullptr;
    if (first_ == nullptr) {
      first_ = &waiter;
    } else {
      last_->next = &waiter;
    }
    last_ = &waiter;
  }

  [[nodiscard]] Waiter* pop() noexcept {
    Waiter* const waiter = first_;
    if (waiter != nullptr) first_ = waiter->next;
    return waiter;
  }

  // For wake_all(), without the lock.
  [[nodiscard]] Waiter* take_all() noexcept {
    Waiter* const all = first_;
    first_ = nullptr;
    return all;
  }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

inline void wake_all(Waiter* waiter) noexcept {
  while (waiter != nullptr) {
    Waiter* const next = waiter->next;  // before he is gone
    waiter->wake();
    waiter = next;
  }
}

}  // namespace comity::sched
