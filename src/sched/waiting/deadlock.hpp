// SPDX-License-Identifier: BSD-3-Clause
// The sentence of a deadlock: which fibers wait, for what, who has that, where in the code, and which of them wait in a circle.
// Not: whether it is one (substrate). No hart runs a fiber meanwhile, so what fibers wait for stays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sched/fibers/fiber.hpp"

namespace comity::sched {

// Whom it has: all that wait, for nobody is left who could wake one; or those alone that wait for one another, whoever else is there.
enum class Deadlocked : std::uint8_t { all, in_circles };

// Each of them waits. Names 200 at most.
[[nodiscard]] std::string describe_deadlock(const std::vector<const Fiber*>& waiting, Deadlocked whom);

// Whether one who waits so waits for certain fibers: for the end of one or of all of a scheduler, or for a mutex that one may have.
[[nodiscard]] bool could_be_in_circle(const Waiter& waiter);
// Of fibers that wait so, those in a circle and those that wait for one of these. No thread can wake them: who has a mutex alone
// unlocks it, and a fiber ends by itself. Some or none once it no longer `goes_on`, which stays so.
[[nodiscard]] std::vector<const Fiber*> caught_in_circles(const std::vector<const Fiber*>& waiting,
                                                          const std::function<bool()>& goes_on);

}  // namespace comity::sched
