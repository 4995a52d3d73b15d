// SPDX-License-Identifier: BSD-3-Clause
// ForkJoin: a team of fibers that begin together and are waited for together, as a parallel region of OpenMP or the inside of
// a library call. It asks for a hart a member, all at once; where fewer come they take members in turn.
#pragma once

#include <cstddef>
#include <type_traits>

#include "sched/scheduler.hpp"

namespace comity::sched {

class ForkJoin : public Scheduler {
 public:
  // body(member) for each member 0 .. members-1, in fibers of this scheduler; returns when all have ended. From a fiber of
  // another scheduler, one team at a time; schedulers below it ask for no harts while a team ends. The body throws nothing.
  template <typename Body>
  void run(std::size_t members, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    run_team(
        members, [](void* with, std::size_t member) { (*static_cast<Plain*>(with))(member); },
        const_cast<void*>(static_cast<const void*>(&body)));
  }

 protected:
  explicit ForkJoin(Scheduler& parent) : Scheduler(parent) {}

  void fiber_made(Lane&, Fiber& fiber) noexcept override { share(fiber); }
  Fiber* next_fiber(Lane& lane) noexcept override;

 private:
  using Body = void (*)(void* with, std::size_t member);
  void run_team(std::size_t members, Body body, void* with);
};

}  // namespace comity::sched
