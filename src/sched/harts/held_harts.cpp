// SPDX-License-Identifier: BSD-3-Clause
#include "sched/harts/held_harts.hpp"

#include <mutex>

#include "base/spin.hpp"
#include "os/threads/futex.hpp"
#include "sched/harts/hart.hpp"
#include "sched/waiter.hpp"

namespace comity::sched {
namespace {

thread_local constinit HeldHart* stands_for = nullptr;

}  // namespace

void HeldHart::stand_for(HeldHart* hart) noexcept { stands_for = hart; }

HeldHart* HeldHart::of_this_thread() noexcept { return stands_for; }

void lend_held_hart() noexcept {
  if (stands_for != nullptr) stands_for->lend();
}

void take_held_hart_back() noexcept {
  if (stands_for != nullptr) stands_for->take_back();
}

void HeldHart::hold() noexcept {
  while (true) {
    switch (state_.load(std::memory_order_acquire)) {
      case held:
        (void)os::futex_wait_until(state_, held, kNever);
        break;
      case released:
        return;
      default:
        rest_while_lent();
    }
  }
}

// The fiber leaves its hart to others until the thread wants it back.
void HeldHart::rest_while_lent() noexcept {
  Waiter waiter(WaitFor::team, this);
  Waiter* nobody = nullptr;
  if (lender_.compare_exchange_strong(nobody, &waiter, std::memory_order_acq_rel)) waiter.wait();
  lender_.store(nullptr, std::memory_order_relaxed);
  state_.store(held, std::memory_order_release);
  os::futex_wake(state_);
}

void HeldHart::lend() noexcept {
  state_.store(lent, std::memory_order_release);
  os::futex_wake(state_);
}

void HeldHart::take_back() noexcept {
  state_.store(wanted, std::memory_order_release);
  Waiter* const lender = lender_.exchange(happened(), std::memory_order_acq_rel);
  if (lender != nullptr) lender->wake();
  while (state_.load(std::memory_order_acquire) == wanted) (void)os::futex_wait_until(state_, wanted, kNever);
}

void HeldHart::release() noexcept {
  state_.store(released, std::memory_order_release);
  os::futex_wake(state_);
}

Hart* only_hart_of_caller() noexcept {
  if (stands_for != nullptr) return &stands_for->hart();
  Hart* const here = Hart::current();
  return here != nullptr && here->fiber().goes_last ? here : nullptr;
}

void HeldHarts::hold_one(Hart& hart) noexcept {
  HeldHart* mine = nullptr;
  {
    const std::lock_guard lock(lock_);
    if (complete_) return;
    mine = &harts_[count_];
    mine->hart_ = &hart;
    ++count_;
  }
  Hart::current()->fiber().goes_last = true;
  mine->hold();
}

void HeldHarts::take(std::size_t most, Nanoseconds patience) {
  harts_ = std::make_unique<HeldHart[]>(most);
  if (most > 0) {
    spawn_alike(
        most, [](void* self) { static_cast<HeldHarts*>(self)->hold_one(*Hart::current()); }, this);
  }
  // The caller keeps its own hart meanwhile, which is none of them.
  const std::int64_t end = deadline_after(patience);
  for (bool enough = false; !enough && now_ns() < end; spin_pause()) {
    const std::lock_guard lock(lock_);
    enough = count_ == most;
  }
  const std::lock_guard lock(lock_);
  complete_ = true;
}

void HeldHarts::give_back() noexcept {
  for (std::size_t i = 0; i < count_; ++i) harts_[i].release();
}

}  // namespace comity::sched
