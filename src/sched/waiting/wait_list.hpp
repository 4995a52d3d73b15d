// SPDX-License-Identifier: BSD-3-Clause
// WaitList: those who wait, first come first. With the lock that their owners keep it under.
#pragma once

#include "sched/waiter.hpp"
#include "sched/waiting/spin_lock.hpp"

namespace comity::sched {

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
