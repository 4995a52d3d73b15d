// SPDX-License-Identifier: BSD-3-Clause
// Waiter: one who waits until somebody wakes him, a fiber or a plain thread; it stands on his stack, and says for what he waits
// and where. Not: how that is waited for (mutex and the others). Between making it known and wait() a fiber may not rest
// otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "os/threads/futex.hpp"
#include "sched/harts/hart.hpp"

namespace comity::sched {

// Of a plain thread that stands for a hart (held_harts): around its sleep.
void lend_held_hart() noexcept;
void take_held_hart_back() noexcept;

enum class WaitFor : std::uint8_t {
  mutex,
  condition,
  semaphore,
  barrier,
  event,
  channel_value,
  channel_room,
  word,
  fiber,
  group,
  team,
  scheduler,
  named,  // by a NamedWait
};

// A wait for an object that the library does not know, which its user names: "a value of the queue".
struct NamedWait {
  const char* words;
  const void* object;
};

class Waiter {
 public:
  // `what` is the object that is waited for, or the fiber, or a NamedWait that lives as long.
  Waiter(WaitFor kind, const void* what) noexcept
      : fiber_(Hart::current() != nullptr ? &Hart::current()->fiber() : nullptr),
        kind_(kind),
        may_move_(fiber_ != nullptr && fiber_->may_move),
        what_(what) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Rests until wake(), which may have come already. A fiber leaves its hart to others.
  void wait() noexcept {
    if (fiber_ == nullptr) {
      sleep();
      return;
    }
    where_ = fiber_->called_from != nullptr ? fiber_->called_from : __builtin_return_address(0);
    fiber_->waiting.store(this, std::memory_order_relaxed);
    fiber_->home->block();
    fiber_->waiting.store(nullptr, std::memory_order_relaxed);
    if (fiber_->goes_last) [[unlikely]]
      fiber_->home->let_others_go_first();
  }

  // Once, from any thread. The waiter may be gone when it returns.
  void wake() noexcept {
    if (may_move_) [[unlikely]] {
      Hart::unblock_mover(*fiber_);
      return;
    }
    if (fiber_ != nullptr) {
      Hart::unblock(*fiber_);
      return;
    }
    std::uint32_t state = kNew;
    if (state_.compare_exchange_strong(state, kWoken, std::memory_order_seq_cst)) return;
    // Before it is told: awake it would still be counted as asleep.
    threads_asleep_.fetch_sub(1, std::memory_order_seq_cst);
    state_.store(kWoken, std::memory_order_seq_cst);
    os::futex_wake(state_);
  }

  // Whether it is a fiber that goes on on that hart alone.
  [[nodiscard]] bool rests_on(const Hart& hart) const noexcept {
    return fiber_ != nullptr && !may_move_ && fiber_->home == &hart;
  }
  [[nodiscard]] Fiber& resting() const noexcept { return *fiber_; }  // where it is a fiber

  [[nodiscard]] WaitFor kind() const noexcept { return kind_; }
  [[nodiscard]] const void* what() const noexcept { return what_; }
  [[nodiscard]] const void* where() const noexcept { return where_; }  // an address in the code
  // Plain threads that wait so, and whom nobody is about to wake: a number that never comes again once one more falls asleep,
  // and how many it stands for.
  [[nodiscard]] static std::uint64_t threads_asleep() noexcept {
    return threads_asleep_.load(std::memory_order_seq_cst);
  }
  [[nodiscard]] static std::size_t count_of(std::uint64_t asleep) noexcept { return asleep & (kFellAsleep - 1); }

  Waiter* next = nullptr;  // in the queue of what it waits for

 private:
  static constexpr std::uint64_t kFellAsleep = std::uint64_t{1} << 20;
  static constexpr std::uint32_t kNew = 0;
  static constexpr std::uint32_t kAsleep = 1;
  static constexpr std::uint32_t kWoken = 2;

  void sleep() noexcept {
    std::uint32_t state = kNew;
    if (!state_.compare_exchange_strong(state, kAsleep, std::memory_order_seq_cst)) return;
    // Not before: one who has been woken and does not know it yet would count. Who wakes now may be faster; then it is no
    // number of threads for a moment.
    threads_asleep_.fetch_add(1 + kFellAsleep, std::memory_order_seq_cst);
    lend_held_hart();
    while (state_.load(std::memory_order_acquire) != kWoken) (void)os::futex_wait_until(state_, kAsleep, kNever);
    take_held_hart_back();
  }

  inline static std::atomic<std::uint64_t> threads_asleep_{
      0};  // their number, and how often one fell asleep times kFellAsleep

  Fiber* const fiber_;  // null: a thread
  std::atomic<std::uint32_t> state_{kNew};
  const WaitFor kind_;
  const bool may_move_;
  const void* const what_;
  const void* where_ = nullptr;
};

// Who calls, told apart from all others: a fiber, or a thread by an address of its own.
[[nodiscard]] inline const void* caller() noexcept {
  const Hart* const hart = Hart::current();
  return hart != nullptr ? static_cast<const void*>(&hart->fiber()) : __builtin_thread_pointer();
}

// While it lives, what the calling fiber waits for is said to be waited for at that address.
class CalledFrom {
 public:
  explicit CalledFrom(const void* where) noexcept
      : fiber_(Hart::current() != nullptr ? &Hart::current()->fiber() : nullptr),
        before_(fiber_ != nullptr ? std::exchange(fiber_->called_from, where) : nullptr) {}
  CalledFrom(const CalledFrom&) = delete;
  CalledFrom& operator=(const CalledFrom&) = delete;
  ~CalledFrom() {
    if (fiber_ != nullptr) fiber_->called_from = before_;
  }

 private:
  Fiber* const fiber_;  // null: a thread
  const void* const before_;
};

// In place of a waiter, where what he would wait for has happened.
inline Waiter* happened() noexcept { return reinterpret_cast<Waiter*>(std::uintptr_t{1}); }

// Waits for the fiber's end, and gives its stack back. Once for each that is not detached.
void join(Fiber& fiber);

}  // namespace comity::sched
