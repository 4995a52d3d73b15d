// SPDX-License-Identifier: BSD-3-Clause
// Harts for one measurement, and code that runs in a fiber of a scheduler.
#pragma once

#include "sched/substrate.hpp"
#include "sched/waiter.hpp"

namespace bench {

struct Harts {
  explicit Harts(std::size_t harts, std::size_t stack_bytes = std::size_t{64} * 1024)
      : substrate(cpus, {.harts = harts, .stack_bytes = stack_bytes}) {}

  comity::sched::OwnCpus cpus;
  comity::sched::Substrate substrate;
};

template <typename Body>
comity::sched::Fiber& spawn(comity::sched::Scheduler& scheduler, const Body& body) {
  return scheduler.spawn([](void* with) { (*static_cast<const Body*>(with))(); },
                         const_cast<void*>(static_cast<const void*>(&body)));
}

template <typename Body>
void in_a_fiber(comity::sched::Scheduler& scheduler, const Body& body) {
  join(spawn(scheduler, body));
}

}  // namespace bench
