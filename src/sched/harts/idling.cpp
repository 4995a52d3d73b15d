// SPDX-License-Identifier: BSD-3-Clause
// A hart that has nothing to do: whom it could be of use to, how long it looks, and its sleep.
#include <algorithm>
#include <thread>
#include <utility>

#include "base/spin.hpp"
#include "os/threads/futex.hpp"
#include "sched/harts/hart.hpp"
#include "sched/substrate.hpp"

namespace comity::sched {
namespace {

constexpr int kLooksPerClock = 64;
constexpr Nanoseconds kLongestPause{60'000'000'000};  // between two looks for a deadlock

}  // namespace

void Hart::tell_idle() noexcept {
  if (std::exchange(told_idle_, true)) return;
  substrate_.idle_.begin_idle();
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
  if (std::exchange(has_lingered_, false) || !here.may_linger() || !has_nothing_else()) return false;
  const Lingered found = look_while_lingering(here, begin_to_linger(here));
  if (found.fiber != nullptr) run(*found.fiber);
  return found.look_again;
}

// Who waits for the end of the fiber that has left often has the next one at once: so this hart says that it lingers before it
// tells of the end. Not where it could look for tasks instead.
Fiber* Hart::part_and_linger() noexcept {
  Scheduler& here = *lane_->scheduler;
  if (parting_->is_leaving || recalled_ || lane_->parent == nullptr || here.stealing() != nullptr ||
      !here.may_linger() || !has_nothing_else()) {
    part();
    return nullptr;
  }
  const std::uint64_t lingering = begin_to_linger(here);
  part();
  const Lingered found = look_while_lingering(here, lingering);
  has_lingered_ = !found.look_again;
  return found.fiber;
}

std::uint64_t Hart::begin_to_linger(Scheduler& here) noexcept {
  tell_idle();
  return here.lingerers_.begin();
}

Hart::Lingered Hart::look_while_lingering(Scheduler& here, std::uint64_t lingering) noexcept {
  std::uint64_t seen = lingering;
  const auto goes_on = [&] {
    seen = here.lingerers_.now();
    return seen == lingering && !here.closing_.load(std::memory_order_relaxed) && !is_needed_elsewhere() &&
           may_look_a_moment();
  };
  for (int looks = 0; looks < kLooksOfAMoment && goes_on(); ++looks) spin_pause();
  // While the word comes to this hart, the fiber does so too. Where another hart takes it this was in vain.
  if (Fiber* const coming = Lingerers<Fiber>::gift_in(seen)) coming->fetch();
  const auto end = here.lingerers_.end();
  if (end.given == nullptr && !end.counted_on) return {nullptr, here.has_shared()};
  // Whoever counted on this hart has asked for no other. Where nothing is left another one was faster.
  return {end.given != nullptr ? end.given : here.take_shared(), true};
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
  while (substrate_.idle_.is_looked_at()) std::this_thread::yield();
  // It costs little beside the sleep, during which a library may have brought one.
  if (substrate_.options_.one_member_teams) look_for_runtimes();
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

}  // namespace comity::sched
