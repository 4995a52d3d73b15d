// SPDX-License-Identifier: BSD-3-Clause
#include "sched/fork_join.hpp"

#include <atomic>

#include "sched/waiter.hpp"

namespace comity::sched {

Fiber* ForkJoin::next_fiber(Lane& lane) noexcept {
  if (Fiber* const here = lane.ready.pop()) return here;
  // What members wait for goes before other members: those may still begin where a hart comes for them.
  return is_asked() ? nullptr : take_shared();
}

void ForkJoin::run_team(std::size_t members, Body body, void* with) {
  if (members == 0) return;
  struct Team {
    Body body;
    void* with;
    std::atomic<std::size_t> begun{0};
    std::atomic<std::size_t> left;
    Waiter waiter;
  };
  Team team{.body = body, .with = with, .left = members, .waiter{WaitFor::team, this}};
  spawn_alike(
      members,
      [](void* argument) {
        Team& mine = *static_cast<Team*>(argument);
        mine.body(mine.with, mine.begun.fetch_add(1, std::memory_order_relaxed));
        if (mine.left.fetch_sub(1, std::memory_order_acq_rel) == 1) mine.waiter.wake();
      },
      &team);
  team.waiter.wait();
  request(-harts_wanted());  // one hart may have done for several members
}

}  // namespace comity::sched
