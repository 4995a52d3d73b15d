// SPDX-License-Identifier: BSD-3-Clause
#include "sched/scheduler.hpp"

#include <algorithm>
#include <mutex>

#include "os/threads/far_fence.hpp"
#include "sched/harts/hart.hpp"
#include "sched/substrate.hpp"
#include "sched/waiter.hpp"

namespace comity::sched {
namespace {

std::unique_ptr<Lane[]> make_lanes(Substrate& substrate, Scheduler& scheduler) {
  auto lanes = std::make_unique<Lane[]>(substrate.harts());
  for (std::size_t i = 0; i < substrate.harts(); ++i) {
    lanes[i].scheduler = &scheduler;
    lanes[i].hart = &substrate.hart(i);
  }
  return lanes;
}

}  // namespace

Scheduler::Scheduler(Substrate& substrate)
    : substrate_(substrate),
      harts_idle_(substrate.idle_.count()),
      parent_(nullptr),
      stealing_(nullptr),
      lanes_(make_lanes(substrate, *this)) {}

Scheduler::Scheduler(Scheduler& parent, Stealing* stealing)
    : substrate_(parent.substrate_),
      harts_idle_(parent.harts_idle_),
      parent_(&parent),
      stealing_(stealing),
      lanes_(make_lanes(substrate_, *this)) {
  for (std::size_t i = 0; i < substrate_.harts(); ++i) lanes_[i].parent = &parent.lanes_[i];
}

Lane& Scheduler::lane(const Hart& hart) noexcept { return lanes_[hart.number()]; }

void Scheduler::enter() {
  entered_on_ = Hart::current();
  parent_->child_entered(*this);
  const std::lock_guard lock(parent_->children_lock_);
  parent_->children_.push_back(this);
}

void Scheduler::exit() noexcept {
  wait_for_fibers();
  Hart& hart = *Hart::current();  // which may be another one than before, where the fiber may move
  while (offers_.load(std::memory_order_acquire) > 0) hart.yield();
  {
    const std::lock_guard lock(parent_->children_lock_);
    std::erase(parent_->children_, this);
  }
  cancel(demand_.wanted());
  closing_.store(true, std::memory_order_relaxed);
  while (harts_left()) hart.yield();
  parent_->child_exited(*this);
}

// They often end soon; else who waits for them leaves his hart to others.
void Scheduler::wait_for_fibers() noexcept {
  constexpr int kLooksBeforeRest = 100;
  for (int looks = 0; looks < kLooksBeforeRest; ++looks) {
    if (!fibers_left()) return;
    Hart::current()->yield();
  }
  if (!substrate_.has_far_fences_) return look_until_fibers_end();
  while (fibers_left()) rest_until_fibers_end();
}

// Who ends a fiber counts it, and looks then whether somebody waits, but without a fence between: so that is made here, on all
// harts. What ended before it is seen now; what ends later sees who waits.
void Scheduler::rest_until_fibers_end() noexcept {
  Waiter waiter(WaitFor::scheduler, this);
  leaver_.store(&waiter, std::memory_order_seq_cst);
  os::far_fence();
  if (!fibers_left() && leaver_.exchange(nullptr, std::memory_order_acq_rel) != nullptr) return;
  waiter.wait();
}

void Scheduler::wake_leaver() noexcept {
  ends_told_.fetch_add(1, std::memory_order_seq_cst);
  if (fibers_left()) return;
  Waiter* const leaver = leaver_.exchange(nullptr, std::memory_order_acq_rel);
  if (leaver != nullptr) leaver->wake();
}

// Where there is no such fence.
void Scheduler::look_until_fibers_end() noexcept {
  Hart& hart = *Hart::current();
  std::int64_t look_at = deadline_after(substrate_.options().deadlock_after);
  while (fibers_left()) {
    hart.yield();
    if (hart.has_other_work() || now_ns() < look_at) continue;
    substrate_.look_for_deadlock(hart);
    look_at = deadline_after(substrate_.options().deadlock_after);
  }
}

// What has begun goes before what another hart could begin as well: else that waits for this hart, and its hart for nothing. So
// do children that were entered here, for a fiber of this hart waits for them; others come last, for they have a hart.
Next Scheduler::hart_granted(Lane& lane) {
  constexpr int kSources = 4;
  constexpr int kInOrder = 64;  // then another comes first, for what is bound here may have work for ever
  Next next = Next::give_back();
  const int first = ++lane.turn % kInOrder == 0 ? 1 + lane.turn / kInOrder % (kSources - 1) : 0;
  for (int i = 0; i < kSources; ++i) {
    switch ((first + i) % kSources) {
      case 0:
        if (next_bound(lane, next)) return next;
        break;
      case 1:
        if (next_own_claim(lane, next)) return next;
        break;
      case 2:
        if (next_shared(next)) return next;
        break;
      default:
        if (next_claim(next)) return next;
    }
  }
  return next;
}

// What ended is read before what was made: where they are equal nothing was left at any moment in between.
bool Scheduler::fibers_left() const noexcept {
  std::uint64_t ended = 0;
  std::uint64_t made = 0;
  for (std::size_t i = 0; i < substrate_.harts(); ++i) ended += lanes_[i].fibers_ended.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < substrate_.harts(); ++i) made += lanes_[i].fibers_made.load(std::memory_order_acquire);
  return made + made_outside_.load(std::memory_order_acquire) != ended;
}

// In it, or about to come back to it.
bool Scheduler::harts_left() const noexcept {
  for (std::size_t i = 0; i < substrate_.harts(); ++i) {
    if (lanes_[i].is_due.load(std::memory_order_acquire)) return true;
  }
  return given_.load(std::memory_order_acquire) > 0;
}

void Scheduler::request(int harts) noexcept {
  if (harts < 0) {
    cancel(-harts);
    return;
  }
  demand_.request(harts, demand_above(), [this](int more) { parent_->hart_requested(*this, more); });
  if (parent_ == nullptr) substrate_.wake_for_requests();
}

void Scheduler::hart_requested(Scheduler& /*child*/, int harts) noexcept { request(harts); }

void Scheduler::cancel(int harts) noexcept {
  demand_.cancel(harts, demand_above(), [this](int fewer) { parent_->hart_requested(*this, fewer); });
}

Fiber& Scheduler::spawn(Fiber::Entry entry, void* argument, std::string_view name, Fiber::End end, Fiber::Moves moves) {
  Hart* const hart = Hart::current();
  if (hart == nullptr) [[unlikely]]
    return spawn_by_thread(entry, argument, name, end, moves);
  Fiber& fiber = substrate_.stacks().take(hart->shelf_, &Hart::begin_fiber);
  fiber.begin(*this, entry, argument, name, end, moves);
  Lane& here = *hart->lane_;
  if (here.scheduler == this) {
    Lane::count_up(here.fibers_made);
    fiber_made(here, fiber);
  } else {
    send(fiber);
  }
  return fiber;
}

Fiber& Scheduler::made_by_thread(Fiber::Entry entry, void* argument, std::string_view name, Fiber::End end,
                                 Fiber::Moves moves) {
  StackShelf shelf;
  Fiber& fiber = substrate_.stacks().take(shelf, &Hart::begin_fiber);
  substrate_.stacks().empty(shelf);
  fiber.begin(*this, entry, argument, name, end, moves);
  return fiber;
}

Fiber& Scheduler::spawn_by_thread(Fiber::Entry entry, void* argument, std::string_view name, Fiber::End end,
                                  Fiber::Moves moves) {
  Fiber& fiber = made_by_thread(entry, argument, name, end, moves);
  send(fiber);
  return fiber;
}

// It comes there as one that has waited and can go on.
Fiber& Scheduler::spawn_on(Hart& hart, Fiber::Entry entry, void* argument) {
  Fiber& fiber = made_by_thread(entry, argument, {}, Fiber::End::joined, Fiber::Moves::never);
  fiber.bound_to = &hart;
  fiber.home = &hart;
  made_outside_.fetch_add(1, std::memory_order_release);
  Hart::unblock(fiber);
  return fiber;
}

void Scheduler::send(Fiber& fiber) noexcept {
  made_outside_.fetch_add(1, std::memory_order_release);
  offer(fiber);
}

void Scheduler::offer(Fiber& fiber) noexcept {
  if (parent_ == nullptr) {  // a hart of the root that passes by takes the fiber, and then withdraws the request
    request(1);
    return share(fiber);
  }
  // Those that came before go first.
  if (!has_shared() && lingerers_.give(fiber)) return;
  share(fiber);
  ask_unless_lingered_for(1);
}

// A hart that is here looks at what is shared itself, and asks for no more than one other at a time. Who offers is counted
// meanwhile: this scheduler could end as soon as that fiber has.
void Scheduler::offer_rested(Fiber& fiber, bool hart_is_here) noexcept {
  offers_.fetch_add(1, std::memory_order_release);
  if (!hart_is_here || parent_ == nullptr) {
    offer(fiber);
  } else if (has_shared() || !lingerers_.give(fiber)) {
    share(fiber);
    if (substrate_.harts() > 1 && !lingerers_.count_on_one() && harts_wanted() == 0) request(1);
  }
  offers_.fetch_sub(1, std::memory_order_release);
}

void Scheduler::ask_unless_lingered_for(std::size_t harts) noexcept {
  while (harts > 0 && lingerers_.count_on_one()) --harts;
  if (harts > 0) request(static_cast<int>(harts));
}

void Scheduler::spawn_alike(std::size_t count, Fiber::Entry entry, void* argument) {
  // Those that ended on this hart, or teams made again and again would need new ones all the time.
  Hart* const hart = Hart::current();
  StackShelf own;
  FiberList made;
  for (std::size_t i = 0; i < count; ++i) {
    Fiber& fiber = substrate_.stacks().take(hart != nullptr ? hart->shelf_ : own, &Hart::begin_fiber);
    fiber.begin(*this, entry, argument, {}, Fiber::End::detached);
    made.push(fiber);
  }
  if (hart == nullptr) substrate_.stacks().empty(own);
  made_outside_.fetch_add(count, std::memory_order_release);
  {
    const std::lock_guard lock(shared_lock_);
    while (Fiber* const fiber = made.pop()) shared_.push(*fiber);
    count_shared(count);
  }
  ask_unless_lingered_for(std::min(count, substrate_.harts()));
}

void Scheduler::share(Fiber& fiber) noexcept {
  const std::lock_guard lock(shared_lock_);
  shared_.push(fiber);
  count_shared(1);
}

Fiber* Scheduler::take_shared() noexcept {
  if (!has_shared()) return nullptr;
  const std::lock_guard lock(shared_lock_);
  Fiber* const fiber = shared_.pop();
  if (fiber == nullptr) return nullptr;
  count_shared(std::size_t{0} - 1);
  if (parent_ == nullptr) cancel(1);  // the root asks nobody but itself for harts
  return fiber;
}

bool Scheduler::next_bound(Lane& lane, Next& next) noexcept {
  const bool childs = lane.due != nullptr && (lane.child_has_turn || lane.ready.empty());
  lane.child_has_turn = !childs;
  if (!childs) {
    Fiber* const fiber = lane.ready.pop();
    if (fiber != nullptr) next = Next::run(*fiber);
    return fiber != nullptr;
  }
  Lane& due = *lane.due;
  lane.due = due.next_due;
  lend_bound(due, next);
  return true;
}

// To a child that a fiber waits in for this hart, out of the list of those.
void Scheduler::lend_bound(Lane& due, Next& next) noexcept {
  due.scheduler->given_.fetch_add(1, std::memory_order_relaxed);  // first: else it could end in between
  due.is_due.store(false, std::memory_order_release);
  next = {Next::What::lend, nullptr, due.scheduler};
}

// One that is no child, or has ended, is found nowhere.
bool Scheduler::next_of_child(Lane& lane, const Scheduler* child, Next& next) noexcept {
  for (Lane** at = &lane.due; *at != nullptr; at = &(*at)->next_due) {
    Lane& due = **at;
    if (due.scheduler != child) continue;
    *at = due.next_due;
    lend_bound(due, next);
    return true;
  }
  if (!is_asked()) return false;
  const std::lock_guard lock(children_lock_);
  const auto one = std::find(children_.begin(), children_.end(), child);
  return one != children_.end() && lend(**one, next);
}

bool Scheduler::next_own_claim(const Lane& lane, Next& next) noexcept {
  if (!is_asked()) return false;
  const std::lock_guard lock(children_lock_);
  return std::any_of(children_.begin(), children_.end(),
                     [&](Scheduler* child) { return child->entered_on_ == lane.hart && lend(*child, next); });
}

bool Scheduler::next_claim(Next& next) noexcept {
  if (!is_asked()) return false;
  const std::lock_guard lock(children_lock_);
  for (std::size_t i = 0; i < children_.size(); ++i) {
    if (lend(*children_[++turn_ % children_.size()], next)) return true;
  }
  return false;
}

// To a child that asked, if it still does.
bool Scheduler::lend(Scheduler& child, Next& next) noexcept {
  if (!child.demand_.claim(&demand_)) return false;
  child.given_.fetch_add(1, std::memory_order_relaxed);
  next = {Next::What::lend, nullptr, &child, true};
  return true;
}

bool Scheduler::next_shared(Next& next) noexcept {
  Fiber* const fiber = take_shared();
  if (fiber != nullptr) next = Next::run(*fiber);
  return fiber != nullptr;
}

}  // namespace comity::sched
