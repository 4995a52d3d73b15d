// SPDX-License-Identifier: BSD-3-Clause
// RoundRobin: fibers run in the order in which they could go on, each until it yields or waits. New ones go to a hart that
// has nothing to do while there is one, else stay where they were made. Not: tasks without a stack of their own (stealing).
#pragma once

#include "sched/scheduler.hpp"

namespace comity::sched {

class RoundRobin : public Scheduler {
 protected:
  explicit RoundRobin(Scheduler& parent) : Scheduler(parent) {}

  void fiber_made(Lane& lane, Fiber& fiber) noexcept override {
    if (!harts_idle()) {
      keep(lane, fiber);
      return;
    }
    offer(fiber);
  }

  // Those that any hart may begin have their turn though there is always one that lives here.
  Fiber* next_fiber(Lane& lane) noexcept override {
    lane.shared_has_turn = !lane.shared_has_turn;
    if (lane.shared_has_turn) {
      if (Fiber* const shared = take_shared()) return shared;
    }
    Fiber* const here = lane.ready.pop();
    return here != nullptr ? here : take_shared();
  }
};

}  // namespace comity::sched
