// SPDX-License-Identifier: BSD-3-Clause
// The sentence of a deadlock: which fibers wait, for what, who has that, where in the code, and which of them wait in a circle.
// Not: whether it is one (substrate). All harts are parked meanwhile, so what fibers wait for stays.
#pragma once

#include <string>
#include <vector>

#include "sched/fibers/fiber.hpp"

namespace comity::sched {

// Each of them waits. Names 200 at most.
[[nodiscard]] std::string describe_deadlock(const std::vector<const Fiber*>& waiting);

}  // namespace comity::sched
