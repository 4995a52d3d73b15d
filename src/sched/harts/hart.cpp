// SPDX-License-Identifier: BSD-3-Clause
#include "sched/harts/hart.hpp"

#include <thread>
#include <utility>

#include "base/spin.hpp"
#include "sched/substrate.hpp"
#include "sched/waiter.hpp"

namespace comity::sched {
namespace {

// The frame of an execution's start is the end of its stack for whoever walks it: debuggers, profilers.
#if defined(__x86_64__)
#define COMITY_SCHED_END_OF_STACK() asm volatile(".cfi_undefined rip")
#elif defined(__aarch64__)
#define COMITY_SCHED_END_OF_STACK() asm volatile(".cfi_undefined x30")
#else
#define COMITY_SCHED_END_OF_STACK() ((void)0)
#endif

}  // namespace

thread_local constinit Hart* Hart::this_hart_ = nullptr;

#ifndef __x86_64__
Hart* Hart::current() noexcept { return this_hart_; }
#endif

StackPool& Hart::stacks() const noexcept { return substrate_.stacks(); }

void Hart::come(Scheduler& first) noexcept {
  this_hart_ = this;
  thread_ = ThreadState::of_this_thread();
  lane_ = &first.lane(*this);
}

void Hart::begin_loop() noexcept {
  COMITY_SCHED_END_OF_STACK();
  Hart& hart = *this_hart_;
  begin_execution(hart.loop_, hart.thread_);
  hart.settle();
  hart.loop();
}

inline void Hart::finish(Fiber& self) noexcept {
  lane_->scheduler->fiber_finished(*lane_, self);
  Lane::count_up(lane_->fibers_ended);
  lane_->scheduler->tell_leaver();
  Waiter* const joiner = self.joiner.load(std::memory_order_acquire);
  if (joiner != nullptr && joiner->rests_on(*this)) {
    // He cannot go on before this hart has left this stack.
    self.joiner.store(happened(), std::memory_order_relaxed);
    make_ready(joiner->resting());
  } else {
    parting_ = &self;
  }
  Fiber* const other = next();
  if (other != nullptr) other->home = this;
  fiber_ = other;
  end_in(self, other != nullptr ? static_cast<Execution&>(*other) : loop_);
}

void Hart::begin_fiber() noexcept {
  COMITY_SCHED_END_OF_STACK();
  Hart& hart = *this_hart_;
  Fiber& self = *hart.fiber_;
  begin_execution(self, hart.thread_);
  hart.settle();
  hart.tell_new_runtimes();
  self.entry(self.argument);
  self.home->finish(self);  // it may have moved
}

void Hart::loop() noexcept {
  while (!substrate_.stopping_.load(std::memory_order_relaxed)) decide();
}

void Hart::decide() noexcept {
  take_posted();
  if (recalled_ && lane_->parent != nullptr) {
    leave();
    return;
  }
  // From the root all is in reach: also where the hart came back by itself, what it was to be called for is no reason to leave again.
  if (lane_->parent == nullptr) recalled_ = elsewhere_ready_ = false;
  const Next next = lane_->scheduler->hart_granted(*lane_);
  switch (next.what) {
    case Next::What::run:
      run(*next.fiber);
      return;
    case Next::What::lend:
      enter(next);
      return;
    case Next::What::give_back:
      // Somebody asks who has not said what for: he may need this very core to go on.
      if (++looks_in_vain_ % kLooksPerYield == 0) std::this_thread::yield();
      if (lane_->parent == nullptr) {
        idle();
      } else if (lane_->scheduler->is_asked()) {
        // By a child that is about to say how many it wants. A hart that left now would be asked for once only.
        spin_pause();
      } else if (!linger()) {
        leave();
      }
  }
}

void Hart::run(Fiber& first) noexcept {
  for (Fiber* fiber = &first; fiber != nullptr; fiber = parting_ != nullptr ? part_and_linger() : nullptr)
    go_to(*fiber);
}

void Hart::go_to(Fiber& fiber) noexcept {
  if (std::exchange(told_idle_, false) && substrate_.idle_.end_idle()) substrate_.wake_for_requests();
  tell_new_runtimes();
  fiber.fetch();  // all of it at once: another hart has made it
  fiber.home = this;
  fiber_ = &fiber;
  looks_in_vain_ = 0;
  has_lingered_ = false;
  switch_to(loop_, fiber, thread_);
}

void Hart::tell_runtimes() noexcept {
  runtimes_told_ = runtimes_seen.load(std::memory_order_relaxed);
  OneMemberTeams::tell_loaded_since();
}

void Hart::enter(const Next& next) noexcept {
  Scheduler& from = *lane_->scheduler;
  if (from.has_bound(*lane_)) elsewhere_ready_ = true;
  // A hart that was here anyway does for one that was asked for further up.
  if (next.claimed && !claimed_) from.cancel(1);
  claimed_ = next.claimed;
  lane_ = &next.child->lane(*this);
  unmark_due(*lane_);
}

void Hart::leave() noexcept {
  Scheduler& child = *lane_->scheduler;
  if (child.has_bound(*lane_)) {
    mark_due(*lane_);
    elsewhere_ready_ = true;
  } else {
    unmark_due(*lane_);
  }
  claimed_ = false;
  lane_ = lane_->parent;
  lane_->scheduler->hart_returned(child, *lane_);
  child.given_.fetch_sub(1, std::memory_order_release);  // it may end now
}

Fiber& Hart::make_worker(Scheduler& scheduler, Fiber::Entry entry, void* argument) {
  Fiber& fiber = stacks().take(shelf_, &Hart::begin_fiber);
  fiber.begin(scheduler, entry, argument, {});
  return fiber;
}

Fiber* Hart::next() noexcept {
  if (posted_.load(std::memory_order_relaxed) != nullptr) take_posted();
  if (is_called_away()) [[unlikely]]
    return nullptr;
  return lane_->scheduler->next_fiber(*lane_);
}

void Hart::switch_from(Fiber& self) noexcept {
  check_stack(self);
  Fiber* const other = next();
  if (other == &self) return;
  if (other != nullptr) {
    other->home = this;
    fiber_ = other;
    switch_to(self, *other, thread_);
  } else {
    switch_to(self, loop_, thread_);
  }
  settle();
}

void Hart::yield() noexcept {
  Fiber& self = *fiber_;
  lane_->scheduler->fiber_yielded(*lane_, self);
  switch_from(self);
}

void Hart::block() noexcept {
  Fiber& self = *fiber_;
  lane_->scheduler->fiber_blocked(*lane_, self);
  if (self.may_move) [[unlikely]]
    leave_to_move(self);
  else
    switch_from(self);
}

// As switch_from(). What belongs to the thread is looked for anew afterwards, on a hart that has set itself as its home.
void Hart::leave_to_move(Fiber& self) noexcept {
  check_stack(self);
  Fiber* const other = next();
  self.is_leaving = true;
  parting_ = &self;
  if (other != nullptr) {
    other->home = this;
    fiber_ = other;
  }
  leave_for(self, other != nullptr ? static_cast<Execution&>(*other) : loop_, thread_);
  Hart& here = *self.home;
  go_on(self, here.thread_);
  here.settle();
}

void Hart::part() noexcept {
  Fiber& gone = *std::exchange(parting_, nullptr);
  if (gone.is_leaving) {
    gone.is_leaving = false;
    if (gone.rest.leave()) show(gone);
    return;
  }
  if (gone.detached) {
    recycle(gone);
    return;
  }
  Waiter* const joiner = gone.joiner.exchange(happened(), std::memory_order_acq_rel);
  if (joiner != nullptr) joiner->wake();
}

}  // namespace comity::sched
