// SPDX-License-Identifier: BSD-3-Clause
#include "sched/harts/hart.hpp"

#include <algorithm>
#include <thread>

#include "base/spin.hpp"
#include "os/threads/futex.hpp"
#include "sched/substrate.hpp"
#include "sched/waiter.hpp"

namespace comity::sched {
namespace {

constexpr int kLooksPerClock = 64;
constexpr Nanoseconds kLongestPause{60'000'000'000};  // between two looks for a deadlock

// The frame of an execution's start is the end of its stack for whoever walks it: debuggers, profilers.
#if defined(__x86_64__)
#define COMITY_SCHED_END_OF_STACK() asm volatile(".cfi_undefined rip")
#elif defined(__aarch64__)
#define COMITY_SCHED_END_OF_STACK() asm volatile(".cfi_undefined x30")
#else
#define COMITY_SCHED_END_OF_STACK() ((void)0)
#endif

// Of a counter that one hart writes.
void count_up(std::atomic<std::uint64_t>& counter) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace

thread_local constinit Hart* Hart::this_hart_ = nullptr;

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
  count_up(lane_->fibers_ended);
  Waiter* const joiner = self.joiner.load(std::memory_order_acquire);
  if (joiner != nullptr && joiner->rests_on(*this)) {
    // He cannot go on before this hart has left this stack.
    self.joiner.store(happened(), std::memory_order_relaxed);
    joiner->wake();
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
  self.entry(self.argument);
  hart.finish(self);
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
  if (recalled_) recalled_ = elsewhere_ready_ = false;
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

void Hart::tell_idle() noexcept {
  if (std::exchange(told_idle_, true)) return;
  substrate_.idle_.begin_idle();
}

void Hart::run(Fiber& fiber) noexcept {
  if (std::exchange(told_idle_, false) && substrate_.idle_.end_idle()) substrate_.wake_for_requests();
  // Another hart has made it or ended it here last: fetch all of it at once.
  __builtin_prefetch(&fiber.joiner, 1);
  __builtin_prefetch(reinterpret_cast<const std::byte*>(&fiber) - 1, 1);
  fiber.home = this;
  fiber_ = &fiber;
  looks_in_vain_ = 0;
  switch_to(loop_, fiber, thread_);
  settle();
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

bool Hart::has_reason_to_stay() const noexcept {
  return posted_.load(std::memory_order_seq_cst) != nullptr || substrate_.root_->demand_.wanted_now() > 0 ||
         substrate_.stopping_.load(std::memory_order_seq_cst);
}

// Alone it would wait for itself.
bool Hart::may_look_a_moment() const noexcept {
  return substrate_.harts() > 1 && substrate_.options_.spin.count() > 0 && !substrate_.source_.wanted(cpu_);
}

// What comes from outside often comes a moment after the last has ended; a hart that is there already need not be asked for.
bool Hart::linger() noexcept {
  Scheduler& here = *lane_->scheduler;
  if (!here.may_linger() || !has_nothing_else()) return false;
  tell_idle();
  const int lingering = here.lingerers_.begin();
  const auto goes_on = [&] {
    return here.lingerers_.now() == lingering && !here.closing_.load(std::memory_order_relaxed) &&
           !is_needed_elsewhere() && may_look_a_moment();
  };
  for (int looks = 0; looks < kLooksOfAMoment && goes_on(); ++looks) spin_pause();
  if (here.lingerers_.end()) return here.has_shared();
  // Whoever counted on this hart has asked for no other. Where nothing is left another one was faster.
  if (Fiber* const fresh = here.take_shared()) run(*fresh);
  return true;
}

void Hart::idle() noexcept {
  tell_idle();
  bool spins = substrate_.options_.spin.count() > 0;
  std::int64_t end_of_spin = kNever;
  for (int looks = 1; !has_reason_to_stay(); ++looks) {
    if (looks == kLooksPerClock) end_of_spin = deadline_after(substrate_.options_.spin);
    if (looks % kLooksPerClock == 0) spins = spins && now_ns() < end_of_spin;
    if (spins && !substrate_.source_.wanted(cpu_)) {
      spin_pause();
    } else {
      park();
    }
  }
}

void Hart::park() noexcept {
  const int parked = substrate_.idle_.begin_park(parked_);
  if (!has_reason_to_stay()) {
    substrate_.source_.returned(cpu_);
    sleep(parked == static_cast<int>(substrate_.harts()));
    substrate_.source_.taken(cpu_);
  }
  substrate_.idle_.end_park(parked_);
}

// The last hart that parks looks later on whether anybody can go on at all; more and more seldom, for it may be that a thread
// that is no hart has not come to wake us yet.
void Hart::sleep(bool is_last) noexcept {
  Nanoseconds pause = substrate_.options_.deadlock_after;
  std::int64_t until = is_last ? deadline_after(pause) : kNever;
  while (parked_.load(std::memory_order_relaxed) == 1) {
    if (os::futex_wait_until(parked_, 1, until) != os::FutexEnd::timed_out) continue;
    const bool others_run = substrate_.parked() < static_cast<int>(substrate_.harts());
    pause = std::min(2 * pause, kLongestPause);
    until = others_run || substrate_.tell_deadlock(nullptr) ? kNever : deadline_after(pause);
  }
}

bool Hart::wake() noexcept {
  if (!IdleHarts<>::unpark(parked_)) return false;
  os::futex_wake(parked_, 1);
  return true;
}

Fiber& Hart::make_worker(Scheduler& scheduler, Fiber::Entry entry, void* argument) {
  Fiber& fiber = stacks().take(shelf_, &Hart::begin_fiber);
  fiber.begin(scheduler, entry, argument, {});
  return fiber;
}

Fiber& Hart::make_fiber(Scheduler& scheduler, Fiber::Entry entry, void* argument, std::string_view name,
                        Fiber::End end) {
  Fiber& fiber = stacks().take(shelf_, &Hart::begin_fiber);
  fiber.begin(scheduler, entry, argument, name, end);
  if (lane_->scheduler == &scheduler) {
    count_up(lane_->fibers_made);
    scheduler.fiber_made(*lane_, fiber);
  } else {
    scheduler.send(fiber);
  }
  return fiber;
}

// What a scheduler asks for at the root may have been used up by fibers of one between: so each is looked at on the way.
bool Hart::others_wait() const noexcept {
  if (elsewhere_ready_ || lane_->due != nullptr || substrate_.root_->harts_wanted() > 0) return true;
  for (const Lane* lane = lane_; lane != nullptr; lane = lane->parent) {
    if (lane->scheduler->is_asked()) return true;
  }
  return false;
}

// Here or further up, but for those that go last themselves.
bool Hart::has_ready() const noexcept {
  if (posted_.load(std::memory_order_relaxed) != nullptr) return true;
  for (const Lane* lane = lane_; lane != nullptr; lane = lane->parent) {
    for (const Fiber* fiber = lane->ready.first(); fiber != nullptr; fiber = fiber->next) {
      if (!fiber->goes_last) return true;
    }
  }
  return false;
}

bool Hart::is_needed_elsewhere() const noexcept {
  return !lane_->ready.empty() || posted_.load(std::memory_order_relaxed) != nullptr || others_wait();
}

// What a scheduler keeps itself (tasks, lists of one's own) only it knows of.
bool Hart::has_other_work() const noexcept {
  return posted_.load(std::memory_order_relaxed) != nullptr || lane_->scheduler->has_bound(*lane_) || others_wait();
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
  switch_from(self);
}

void Hart::part() noexcept {
  Fiber& gone = *std::exchange(parting_, nullptr);
  if (gone.detached) {
    recycle(gone);
    return;
  }
  Waiter* const joiner = gone.joiner.exchange(happened(), std::memory_order_acq_rel);
  if (joiner != nullptr) joiner->wake();
}

void Hart::unblock(Fiber& fiber) noexcept {
  if (fiber.home == this_hart_) {
    this_hart_->make_ready(fiber);
  } else {
    fiber.home->post(fiber);
  }
}

void Hart::post(Fiber& fiber) noexcept {
  Fiber* before = posted_.load(std::memory_order_relaxed);
  do {
    fiber.next = before;
  } while (!posted_.compare_exchange_weak(before, &fiber, std::memory_order_seq_cst, std::memory_order_relaxed));
  (void)wake();
}

void Hart::take_posted() noexcept {
  if (posted_.load(std::memory_order_relaxed) == nullptr) return;
  Fiber* newest = posted_.exchange(nullptr, std::memory_order_acq_rel);
  Fiber* oldest = nullptr;
  while (newest != nullptr) oldest = std::exchange(newest, std::exchange(newest->next, oldest));
  while (oldest != nullptr) make_ready(*std::exchange(oldest, oldest->next));
}

void Hart::make_ready(Fiber& fiber) noexcept {
  Scheduler& scheduler = *fiber.scheduler;
  Lane& lane = scheduler.lane(*this);
  scheduler.fiber_unblocked(lane, fiber);
  if (&lane == lane_) return;
  mark_due(lane);
  elsewhere_ready_ = true;
}

void Hart::mark_due(Lane& lane) noexcept {
  for (Lane* at = &lane; at->parent != nullptr && !at->is_due.load(std::memory_order_relaxed); at = at->parent) {
    at->is_due.store(true, std::memory_order_relaxed);
    at->next_due = nullptr;
    Lane** last = &at->parent->due;
    while (*last != nullptr) last = &(*last)->next_due;
    *last = at;
  }
}

void Hart::unmark_due(Lane& lane) noexcept {
  if (!lane.is_due.load(std::memory_order_relaxed)) return;
  Lane** at = &lane.parent->due;
  while (*at != &lane) at = &(*at)->next_due;
  *at = lane.next_due;
  lane.is_due.store(false, std::memory_order_release);
}

void join(Fiber& fiber) {
  Hart* const here = Hart::current();
  if (here != nullptr) here->watch([&fiber] { return fiber.joiner.load(std::memory_order_acquire) == happened(); });
  Waiter waiter(WaitFor::fiber, &fiber);
  Waiter* nobody = nullptr;
  if (fiber.joiner.load(std::memory_order_acquire) != happened() &&
      fiber.joiner.compare_exchange_strong(nobody, &waiter, std::memory_order_acq_rel)) {
    waiter.wait();
  }
  if (here != nullptr) {
    here->recycle(fiber);
    return;
  }
  StackShelf shelf;
  StackPool& stacks = fiber.home->substrate().stacks();
  stacks.give(shelf, fiber);
  stacks.empty(shelf);
}

}  // namespace comity::sched
