// SPDX-License-Identifier: BSD-3-Clause
// Waiter: one who waits until somebody wakes him, a fiber or a plain thread; it stands on his stack. Not: for what (mutex and
// the others). Between making it known and wait() a fiber may not rest otherwise.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/futex.hpp"
#include "sched/hart.hpp"

namespace comity::sched {

class Waiter {
 public:
  Waiter() noexcept : fiber_(Hart::current() != nullptr ? &Hart::current()->fiber() : nullptr) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Rests until wake(), which may have come already. A fiber leaves its hart to others.
  void wait() noexcept {
    if (fiber_ != nullptr) {
      fiber_->home->block();
      return;
    }
    while (woken_.load(std::memory_order_acquire) == 0) (void)os::futex_wait_until(woken_, 0, kNever);
  }

  // Once, from any thread. The waiter may be gone when it returns.
  void wake() noexcept {
    if (fiber_ != nullptr) {
      Hart::unblock(*fiber_);
      return;
    }
    woken_.store(1, std::memory_order_release);
    os::futex_wake(woken_);
  }

  // Whether it is a fiber of that hart.
  [[nodiscard]] bool rests_on(const Hart& hart) const noexcept { return fiber_ != nullptr && fiber_->home == &hart; }

  Waiter* next = nullptr;  // in the queue of what it waits for

 private:
  Fiber* const fiber_;  // null: a thread
  std::atomic<std::uint32_t> woken_{0};
};

// Who calls, told apart from all others: a fiber, or a thread by an address of its own.
[[nodiscard]] inline const void* caller() noexcept {
  const Hart* const hart = Hart::current();
  return hart != nullptr ? static_cast<const void*>(&hart->fiber()) : __builtin_thread_pointer();
}

// In place of a waiter, where what he would wait for has happened.
inline Waiter* happened() noexcept { return reinterpret_cast<Waiter*>(std::uintptr_t{1}); }

// Waits for the fiber's end, and gives its stack back. Once for each that is not detached.
void join(Fiber& fiber);

}  // namespace comity::sched
