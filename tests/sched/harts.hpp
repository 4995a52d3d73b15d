// SPDX-License-Identifier: BSD-3-Clause
// Harts for a test, and fibers from lambdas.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "sched/round_robin.hpp"
#include "sched/substrate.hpp"
#include "sched/waiter.hpp"

namespace comity::testing {

struct Harts {
  explicit Harts(const sched::SubstrateOptions& options = {}) : substrate(cpus, options) {}
  [[nodiscard]] sched::Scheduler& root() { return substrate.root(); }

  sched::OwnCpus cpus;
  sched::Substrate substrate;
};

// A fiber that runs `body`, to be joined.
template <typename Body>
sched::Fiber& start(sched::Scheduler& scheduler, Body body, std::string_view name = {},
                    sched::Fiber::Moves moves = sched::Fiber::Moves::never) {
  return scheduler.spawn(
      [](void* argument) {
        const std::unique_ptr<Body> mine(static_cast<Body*>(argument));
        (*mine)();
      },
      new Body(std::move(body)), name, sched::Fiber::End::joined, moves);
}

inline void yield() { sched::Hart::current()->yield(); }

}  // namespace comity::testing
