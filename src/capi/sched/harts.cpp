// SPDX-License-Identifier: BSD-3-Clause
// Harts and fibers.
#include <comity/sched.h>

#include <atomic>
#include <string>
#include <string_view>

#include "capi/sched/guard.hpp"
#include "capi/sched/library.hpp"
#include "sched/fork_join.hpp"
#include "sched/harts/held_harts.hpp"
#include "sched/harts/openmp_team.hpp"
#include "sched/own_thread.hpp"
#include "sched/waiter.hpp"

using namespace comity;
using capi::sched::guard;
using capi::sched::guard_wait;
using capi::sched::Library;
using capi::sched::required;
using sched::Fiber;
using sched::Hart;
using sched::Scheduler;

namespace {

constexpr std::uint64_t kSpawned = 0x5f'1b'e2'0a'61'7c'93'd5;

Scheduler& named_or_own(comity_sched_scheduler* scheduler) {
  if (scheduler != nullptr) return Library::running().at(scheduler);
  const Hart* const hart = Hart::current();
  if (hart != nullptr && hart->scheduler().parent() != nullptr) return hart->scheduler();
  return Library::running().usual();
}

void require_possible(std::int32_t harts) {
  const auto most = static_cast<std::int32_t>(Library::running().substrate().harts());
  if (harts <= most && harts >= -most) return;
  throw Error(Status::range, "ask for " + std::to_string(harts) + " harts: this process has " + std::to_string(most) +
                                 "; ask for that many at most");
}

void require_hart_on(sched::Substrate& substrate, std::int32_t cpu) {
  for (std::size_t i = 0; i < substrate.harts(); ++i) {
    if (static_cast<std::int32_t>(substrate.hart(i).cpu()) == cpu) return;
  }
  throw Error(Status::range,
              "want CPU " + std::to_string(cpu) + ": no hart is on it; comity_sched_cpu_of tells on which one each is");
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_to_join(Status status, const char* why) {
  throw Error(status, std::string("join a fiber: ") + why);
}

void require_stays(const char* what) {
  if (!Library::fiber_hart().fiber().may_move) return;
  throw Error(Status::order,
              std::string(what) +
                  " in a fiber that may move: it needs one hart until its end; call it from a fiber that was "
                  "spawned without that mark");
}

comity_status spawn(comity_sched_scheduler* scheduler, comity_sched_function function, void* argument, const char* name,
                    comity_sched_fiber* fiber, Fiber::Moves moves) {
  return guard([&] {
    (void)required(function, "function");
    const auto end = fiber != nullptr ? Fiber::End::joined : Fiber::End::detached;
    const std::string_view called = name != nullptr ? std::string_view(name) : std::string_view();
    Fiber& made = named_or_own(scheduler).spawn(function, argument, called, end, moves);
    if (fiber != nullptr) *fiber = {{reinterpret_cast<std::uintptr_t>(&made), kSpawned}};
  });
}

}  // namespace

comity_status comity_sched_start(const comity_sched_options* options) {
  return guard([&] { Library::start(options != nullptr ? *options : comity_sched_options{}); });
}

// The fiber that calls is gone with the harts: nothing may be noted in it, so this is no guard_wait().
comity_status comity_sched_stop(void) {
  return guard([] { Library::stop(); });
}

comity_status comity_sched_harts(int32_t* count) {
  return guard([&] {
    std::int32_t& out = required(count, "count");
    out = Library::is_running() ? static_cast<std::int32_t>(Library::running().substrate().harts()) : 0;
  });
}

comity_status comity_sched_hart(int32_t* hart) {
  return guard([&] {
    const Hart* const here = Hart::current();
    required(hart, "hart") = here != nullptr ? static_cast<std::int32_t>(here->number()) : -1;
  });
}

comity_status comity_sched_node_of(int32_t hart, int32_t* node) {
  return guard([&] {
    Library& library = Library::running();
    required(node, "node") = library.hart(hart).node();
  });
}

comity_status comity_sched_cpu_of(int32_t hart, int32_t* cpu) {
  return guard([&] {
    Library& library = Library::running();
    required(cpu, "cpu") = static_cast<std::int32_t>(library.hart(hart).cpu());
  });
}

comity_status comity_sched_want(int32_t cpu, int32_t wanted) {
  return guard([&] {
    Library& library = Library::running();
    require_hart_on(library.substrate(), cpu);
    const auto number = static_cast<std::size_t>(cpu);
    if (wanted == 1) {
      if (library.cpus().want(number)) return;
      throw Error(Status::range, "want CPU " + std::to_string(cpu) + ": 65,535 do already; say when one does no more");
    }
    if (wanted != 0) {
      throw Error(Status::range, "want a CPU: `wanted` is " + std::to_string(wanted) + "; give 1 or 0");
    }
    if (library.cpus().want_no_more(number)) return;
    throw Error(Status::order, "want CPU " + std::to_string(cpu) + " no more: nobody did; say so once for each time");
  });
}

comity_status comity_sched_stacks(comity_sched_stack_count* count) {
  return guard([&] {
    comity_sched_stack_count& out = required(count, "count");
    const sched::StackCount now = Library::running().substrate().stacks().count();
    out = {static_cast<std::int64_t>(now.made), static_cast<std::int64_t>(now.in_use),
           static_cast<std::int64_t>(now.most_in_use)};
  });
}

comity_status comity_sched_request(int32_t harts) {
  return guard([&] {
    const Hart& hart = Library::fiber_hart();
    require_possible(harts);
    hart.scheduler().request(harts);
  });
}

comity_status comity_sched_request_for(comity_sched_scheduler* scheduler, int32_t harts) {
  return guard([&] {
    (void)required(scheduler, "scheduler");
    require_possible(harts);
    Library::running().at(scheduler).request(harts);
  });
}

comity_status comity_sched_given(int32_t* count) {
  return guard([&] { required(count, "count") = Library::fiber_hart().scheduler().harts_given(); });
}

int32_t comity_sched_idle(void) { return Library::is_running() && Library::running().substrate().idle() > 0 ? 1 : 0; }

comity_status comity_sched_spawn(comity_sched_scheduler* scheduler, comity_sched_function function, void* argument,
                                 const char* name, comity_sched_fiber* fiber) {
  return spawn(scheduler, function, argument, name, fiber, Fiber::Moves::never);
}

comity_status comity_sched_spawn_movable(comity_sched_scheduler* scheduler, comity_sched_function function,
                                         void* argument, const char* name, comity_sched_fiber* fiber) {
  return spawn(scheduler, function, argument, name, fiber, Fiber::Moves::in_waits);
}

comity_status comity_sched_join(comity_sched_fiber* fiber) {
  return guard_wait(__builtin_return_address(0), [&] {
    comity_sched_fiber& place = required(fiber, "fiber");
    if (place.place[1] != kSpawned) [[unlikely]]
      refuse_to_join(Status::handle, "nothing that was spawned stands there, or it has been joined");
    auto& other = *reinterpret_cast<Fiber*>(place.place[0]);
    const Hart* const here = Hart::current();
    if (here != nullptr && &here->fiber() == &other) [[unlikely]]
      refuse_to_join(Status::order, "it is the caller itself, which cannot wait for its own end");
    place = {};
    sched::join(other);
  });
}

comity_status comity_sched_yield(void) {
  return guard([] { Library::fiber_hart().yield(); });
}

comity_status comity_sched_run(comity_sched_work work, void* argument) {
  return guard_wait(__builtin_return_address(0), [&] {
    struct Call {
      comity_sched_work work;
      void* argument;
      comity_status status;
    };
    Call call{&required(work, "work"), argument, COMITY_OK};
    const auto run = [](void* with) {
      Call& mine = *static_cast<Call*>(with);
      mine.status = mine.work(mine.argument);
    };
    Scheduler& usual = Library::running().usual();
    sched::look_for_runtimes();
    Hart* const only = sched::only_hart_of_caller();
    sched::join(only != nullptr ? usual.spawn_on(*only, run, &call) : usual.spawn(run, &call));
    capi::sched::succeed(call.status);
  });
}

comity_status comity_sched_openmp(int32_t harts, comity_sched_work work, void* argument) {
  return guard_wait(__builtin_return_address(0), [&] {
    (void)required(work, "work");
    if (harts < 1) throw Error(Status::range, "OpenMP on " + std::to_string(harts) + " harts; give 1 or more");
    require_stays("OpenMP");
    sched::with_openmp_team(static_cast<std::size_t>(harts),
                            [&](std::size_t) { capi::sched::succeed(work(argument)); });
  });
}

comity_status comity_sched_own_thread(comity_sched_work work, void* argument) {
  return guard_wait(__builtin_return_address(0), [&] {
    (void)required(work, "work");
    require_stays("a thread for foreign code");
    sched::on_own_thread([&] { capi::sched::succeed(work(argument)); });
  });
}

comity_status comity_sched_team(int32_t members, comity_sched_member body, void* argument) {
  return guard_wait(__builtin_return_address(0), [&] {
    (void)required(body, "body");
    if (members < 0) {
      throw Error(Status::range, "run a team of " + std::to_string(members) + " members; give 0 or more");
    }
    const Hart& hart = Library::fiber_hart();
    sched::look_for_runtimes();
    std::atomic<int> first{COMITY_OK};
    sched::Entered<sched::ForkJoin> team(hart.scheduler());
    team.run(static_cast<std::size_t>(members), [&](std::size_t member) {
      int none = COMITY_OK;
      const comity_status status = body(argument, static_cast<std::int32_t>(member));
      if (status != COMITY_OK) first.compare_exchange_strong(none, status);
    });
    capi::sched::succeed(static_cast<comity_status>(first.load()));
  });
}
