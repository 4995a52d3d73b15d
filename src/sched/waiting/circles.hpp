// SPDX-License-Identifier: BSD-3-Clause
// Circles: of fibers that wait, those that wait for one another, and so for ever whoever else is there. Not: whose wait anybody could
// end (semaphores, channels and the others), nor the sentence (deadlock).
// Invariant: each that is left waits for one that is left, once all that do not have been left out, one by one.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sched/waiter.hpp"
#include "sched/waiting/mutex.hpp"

namespace comity::sched {

using Fibers = std::unordered_set<const void*>;

// Who alone could end the wait, where that is one fiber that waits itself; else null.
[[nodiscard]] inline const Fiber* waited_for(const Fiber& fiber, const Fibers& waiting) {
  const Waiter& waiter = *fiber.waiting.load(std::memory_order_relaxed);
  const void* other = nullptr;
  if (waiter.kind() == WaitFor::mutex) other = static_cast<const Mutex*>(waiter.what())->owner();
  if (waiter.kind() == WaitFor::fiber) other = waiter.what();
  return waiting.contains(other) ? static_cast<const Fiber*>(other) : nullptr;
}

class Circles {
 public:
  void add(const Fiber& fiber) {
    left_.insert(&fiber);
    ++left_of_[fiber.scheduler];
  }
  // When all have been added: whether it waits for any of them at all.
  void look_at_wait_of(const Fiber& fiber) {
    const void* const what = what_ends_wait_of(fiber);
    if (what != nullptr) {
      waits_for_[what].push_back(&fiber);
    } else {
      to_leave_out_.push_back(&fiber);
    }
  }
  // Whether there was one.
  bool leave_one_out() {
    if (to_leave_out_.empty()) return false;
    const Fiber& fiber = *to_leave_out_.back();
    to_leave_out_.pop_back();
    left_.erase(&fiber);
    leave_out_who_waits_for(&fiber);
    if (--left_of_[fiber.scheduler] == 0) leave_out_who_waits_for(fiber.scheduler);
    return true;
  }
  [[nodiscard]] bool has(const Fiber& fiber) const { return left_.contains(&fiber); }

 private:
  // A fiber that is among these, or a scheduler, all of whose fibers must end, with one that is; null: anything else.
  [[nodiscard]] const void* what_ends_wait_of(const Fiber& fiber) const {
    const Waiter& waiter = *fiber.waiting.load(std::memory_order_relaxed);
    if (waiter.kind() != WaitFor::scheduler) return waited_for(fiber, left_);
    return left_of_.contains(waiter.what()) ? waiter.what() : nullptr;
  }
  void leave_out_who_waits_for(const void* gone) {
    const auto waiting = waits_for_.find(gone);
    if (waiting == waits_for_.end()) return;
    to_leave_out_.insert(to_leave_out_.end(), waiting->second.begin(), waiting->second.end());
    waits_for_.erase(waiting);
  }

  Fibers left_;
  std::unordered_map<const void*, std::size_t> left_of_;                  // how many, by their scheduler
  std::unordered_map<const void*, std::vector<const Fiber*>> waits_for_;  // by what ends the wait
  std::vector<const Fiber*> to_leave_out_;
};

}  // namespace comity::sched
