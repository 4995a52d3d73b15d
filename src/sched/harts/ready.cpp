// SPDX-License-Identifier: BSD-3-Clause
// Fibers that can go on: how whoever wakes one tells its hart, and how that comes to where the fiber's scheduler is.
#include <utility>

#include "sched/harts/hart.hpp"

namespace comity::sched {

void Hart::unblock(Fiber& fiber) noexcept {
  if (fiber.home == this_hart_) {
    this_hart_->make_ready(fiber);
  } else {
    fiber.home->post(fiber);
  }
}

// Where its hart is still on its stack that will show it.
void Hart::unblock_mover(Fiber& fiber) noexcept {
  if (fiber.rest.wake()) show(fiber);
}

void Hart::show(Fiber& fiber) noexcept {
  const Hart* const here = this_hart_;
  Scheduler& scheduler = *fiber.scheduler;
  fiber.home = nullptr;
  scheduler.offer_rested(fiber, here != nullptr && here->lane_->scheduler == &scheduler);
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

}  // namespace comity::sched
