// SPDX-License-Identifier: BSD-3-Clause
// Schedulers that programs enter: those of the library, and their own.
#include <comity/sched.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "capi/sched/guard.hpp"
#include "capi/sched/library.hpp"
#include "sched/round_robin.hpp"
#include "sched/tasks/stealing.hpp"

namespace comity::capi::sched {
namespace {

using comity::sched::Fiber;
using comity::sched::Hart;
using comity::sched::Lane;
using comity::sched::Next;
using comity::sched::Scheduler;

comity_sched_runnable* handle(Fiber& fiber) { return reinterpret_cast<comity_sched_runnable*>(&fiber); }
comity_sched_child* handle(Scheduler& child) { return reinterpret_cast<comity_sched_child*>(&child); }
const Scheduler* scheduler_of(const comity_sched_child* child) { return reinterpret_cast<const Scheduler*>(child); }
std::int32_t number(const Lane& lane) { return static_cast<std::int32_t>(lane.hart->number()); }

[[noreturn]] void end_of_stranger(const Fiber& fiber, const Hart& hart) {
  std::fprintf(stderr,
               "comity: error: [sched] a scheduler of the program gave fiber %llu (%s) to hart %zu: it has run on hart "
               "%zu, and goes on there alone; keep what `ready` hands over apart for each hart\n",
               static_cast<unsigned long long>(fiber.number), fiber.name.data(), hart.number(), fiber.home->number());
  std::abort();
}

// A scheduler whose decisions are callbacks of the program.
class Own : public Scheduler {
 protected:
  Own(Scheduler& parent, const comity_sched_callbacks& callbacks, void* self)
      : Scheduler(parent), callbacks_(callbacks), self_(self) {}

  Next hart_granted(Lane& lane) override {
    comity_sched_child* chosen = nullptr;
    const bool children_first = children_have_turn(lane, chosen);
    Next next = Next::give_back();
    if (children_first && next_of_children(lane, chosen, next)) return next;
    if (Fiber* const fiber = next_fiber(lane)) return Next::run(*fiber);
    if (!children_first) (void)next_of_children(lane, chosen, next);
    return next;
  }

  Fiber* next_fiber(Lane& lane) noexcept override {
    while (Fiber* const fresh = take_shared()) callbacks_.made(self_, number(lane), handle(*fresh));
    auto* const fiber = reinterpret_cast<Fiber*>(callbacks_.next(self_, number(lane)));
    if (fiber != nullptr && fiber->home != nullptr && fiber->home != lane.hart) end_of_stranger(*fiber, *lane.hart);
    return fiber;
  }

  void fiber_made(Lane& lane, Fiber& fiber) noexcept override { callbacks_.made(self_, number(lane), handle(fiber)); }
  void fiber_unblocked(Lane& lane, Fiber& fiber) noexcept override {
    callbacks_.ready(self_, number(lane), handle(fiber), 0);
  }
  void fiber_yielded(Lane& lane, Fiber& fiber) noexcept override {
    callbacks_.ready(self_, number(lane), handle(fiber), 1);
  }
  void fiber_blocked(Lane& lane, Fiber& fiber) noexcept override {
    if (callbacks_.blocked != nullptr) callbacks_.blocked(self_, number(lane), handle(fiber));
  }
  void fiber_finished(Lane& lane, Fiber& fiber) noexcept override {
    if (callbacks_.finished != nullptr) callbacks_.finished(self_, number(lane), handle(fiber));
  }
  void hart_requested(Scheduler& child, int harts) noexcept override {
    if (callbacks_.requested != nullptr) callbacks_.requested(self_, handle(child), harts);
    Scheduler::hart_requested(child, harts);
  }
  void hart_returned(Scheduler& child, Lane& lane) noexcept override {
    if (callbacks_.returned != nullptr) callbacks_.returned(self_, number(lane), handle(child));
  }
  void child_entered(Scheduler& child) override {
    if (callbacks_.child != nullptr) callbacks_.child(self_, handle(child), 1);
  }
  void child_exited(Scheduler& child) noexcept override {
    if (callbacks_.child != nullptr) callbacks_.child(self_, handle(child), 0);
  }
  // It is the one that says which fiber begins.
  bool may_linger() const noexcept override { return false; }
  bool has_bound(const Lane& lane) const noexcept override {
    return Scheduler::has_bound(lane) || callbacks_.waiting(self_, number(lane)) > 0;
  }

 private:
  // By turns where the program leaves it open; where it does not the others have a turn now and then, or they could wait for ever:
  // a fiber may yield until one of a scheduler below has run.
  bool children_have_turn(Lane& lane, comity_sched_child*& chosen) const {
    constexpr int kOfOthers = 8;
    const int turn = ++lane.turn;
    const comity_sched_turn wanted =
        callbacks_.granted != nullptr ? callbacks_.granted(self_, number(lane), &chosen) : COMITY_SCHED_TURN_EITHER;
    if (wanted != COMITY_SCHED_TURN_OWN && wanted != COMITY_SCHED_TURN_CHILDREN) return turn % 2 == 0;
    return (wanted == COMITY_SCHED_TURN_CHILDREN) != (turn % kOfOthers == 0);
  }

  // Bound ones of children stand in next_bound(); own ones are never there.
  bool next_of_children(Lane& lane, const comity_sched_child* chosen, Next& next) noexcept {
    if (chosen != nullptr && next_of_child(lane, scheduler_of(chosen), next)) return true;
    return next_bound(lane, next) || next_claim(next);
  }

  const comity_sched_callbacks callbacks_;
  void* const self_;
};

}  // namespace
}  // namespace comity::capi::sched

using namespace comity;
using capi::sched::guard;
using capi::sched::guard_wait;
using capi::sched::Library;
using capi::sched::required;

comity_status comity_sched_enter(comity_sched_kind kind, comity_sched_scheduler** scheduler) {
  return guard([&] {
    comity_sched_scheduler*& out = required(scheduler, "scheduler");
    (void)Library::fiber_hart();
    if (kind == COMITY_SCHED_STEALING) {
      out = Library::running().enter<sched::Stealing>();
    } else if (kind == COMITY_SCHED_ROUND_ROBIN) {
      out = Library::running().enter<sched::RoundRobin>();
    } else {
      throw Error(Status::argument, "enter a scheduler: there is none of kind " + std::to_string(kind) +
                                        "; name COMITY_SCHED_STEALING or COMITY_SCHED_ROUND_ROBIN");
    }
  });
}

comity_status comity_sched_enter_own(const comity_sched_callbacks* callbacks, void* self,
                                     comity_sched_scheduler** scheduler) {
  return guard([&] {
    const comity_sched_callbacks& given = required(callbacks, "callbacks");
    (void)required(given.made, "callbacks->made");
    (void)required(given.ready, "callbacks->ready");
    (void)required(given.next, "callbacks->next");
    (void)required(given.waiting, "callbacks->waiting");
    comity_sched_scheduler*& out = required(scheduler, "scheduler");
    (void)Library::fiber_hart();
    out = Library::running().enter<capi::sched::Own>(given, self);
  });
}

comity_status comity_sched_leave(comity_sched_scheduler** scheduler) {
  return guard_wait(__builtin_return_address(0), [&] {
    comity_sched_scheduler*& handle = required(scheduler, "scheduler");
    if (handle == nullptr) return;
    Library::running().leave(handle);
    handle = nullptr;
  });
}

void* comity_sched_argument_of(const comity_sched_runnable* fiber) {
  return fiber != nullptr ? reinterpret_cast<const sched::Fiber*>(fiber)->argument : nullptr;
}

int32_t comity_sched_child_wants(const comity_sched_child* child) {
  return child != nullptr ? capi::sched::scheduler_of(child)->harts_wanted() : 0;
}

comity_status comity_sched_child_of(comity_sched_scheduler* scheduler, comity_sched_child** child) {
  return guard([&] {
    (void)required(scheduler, "scheduler");
    comity_sched_child*& out = required(child, "child");
    out = capi::sched::handle(Library::running().at(scheduler));
  });
}
