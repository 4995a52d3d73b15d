// SPDX-License-Identifier: BSD-3-Clause
// Mutex and Condition for fibers and plain threads: who waits leaves its hart to others. As in the standard library, but that
// a mutex goes from hand to hand in the order in which it was asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "sched/waiting/wait_list.hpp"

namespace comity::sched {

class Mutex {
 public:
  void lock() noexcept {
    State free = State::free;
    if (!state_.compare_exchange_strong(free, State::held, std::memory_order_acquire)) [[unlikely]]
      wait_for_turn();
    owner_.store(caller(), std::memory_order_relaxed);
  }

  [[nodiscard]] bool try_lock() noexcept {
    State free = State::free;
    if (!state_.compare_exchange_strong(free, State::held, std::memory_order_acquire)) return false;
    owner_.store(caller(), std::memory_order_relaxed);
    return true;
  }

  // A fiber, or a thread as caller() tells them apart; null: nobody, or who is about to have it.
  [[nodiscard]] const void* owner() const noexcept { return owner_.load(std::memory_order_relaxed); }
  // Whether the caller has it.
  [[nodiscard]] bool is_mine() const noexcept { return owner_.load(std::memory_order_relaxed) == caller(); }

  // By who has it.
  void unlock() noexcept {
    owner_.store(nullptr, std::memory_order_relaxed);
    State held = State::held;
    if (!state_.compare_exchange_strong(held, State::free, std::memory_order_release)) [[unlikely]]
      hand_over();
  }

 private:
  enum class State : std::uint8_t { free, held, wanted };  // wanted: held, and others wait

  void wait_for_turn() noexcept {
    Waiter waiter(WaitFor::mutex, this);
    {
      const std::lock_guard lock(queue_lock_);
      if (state_.exchange(State::wanted, std::memory_order_acquire) == State::free) {
        if (queue_.empty()) state_.store(State::held, std::memory_order_relaxed);
        return;
      }
      queue_.push(waiter);
    }
    waiter.wait();  // it is ours then
  }

  void hand_over() noexcept {
    Waiter* heir = nullptr;
    {
      const std::lock_guard lock(queue_lock_);
      heir = queue_.pop();
      if (heir == nullptr) {
        state_.store(State::free, std::memory_order_release);
      } else if (queue_.empty()) {
        state_.store(State::held, std::memory_order_relaxed);
      }
    }
    if (heir != nullptr) heir->wake();
  }

  std::atomic<State> state_{State::free};
  SpinLock queue_lock_;
  WaitList queue_;
  std::atomic<const void*> owner_{nullptr};  // while it is held, but for the moments beside
};

class Condition {
 public:
  // Lets go of the mutex while it waits. Others may be faster to it afterwards: look again at what was waited for.
  void wait(std::unique_lock<Mutex>& held) noexcept { wait_as(held, WaitFor::condition, this); }

  // Of which an object is made of that is named to users.
  void wait(std::unique_lock<Mutex>& held, const NamedWait& name) noexcept { wait_as(held, WaitFor::named, &name); }

  template <typename Holds>
  void wait(std::unique_lock<Mutex>& held, Holds&& holds) {
    wait(held, WaitFor::condition, this, std::forward<Holds>(holds));
  }
  // The same.
  template <typename Holds>
  void wait(std::unique_lock<Mutex>& held, WaitFor kind, const void* what, Holds&& holds) {
    while (!holds()) wait_as(held, kind, what);
  }

  void notify_one() noexcept {
    Waiter* first = nullptr;
    {
      const std::lock_guard lock(queue_lock_);
      first = queue_.pop();
    }
    if (first != nullptr) first->wake();
  }

  void notify_all() noexcept {
    Waiter* all = nullptr;
    {
      const std::lock_guard lock(queue_lock_);
      all = queue_.take_all();
    }
    wake_all(all);
  }

 private:
  void wait_as(std::unique_lock<Mutex>& held, WaitFor kind, const void* what) noexcept {
    Waiter waiter(kind, what);
    {
      const std::lock_guard lock(queue_lock_);
      queue_.push(waiter);
    }
    held.mutex()->unlock();
    waiter.wait();
    held.mutex()->lock();
  }

  SpinLock queue_lock_;
  WaitList queue_;
};

}  // namespace comity::sched
