// SPDX-License-Identifier: BSD-3-Clause
// Crew: the command's threads, which a large graph is looked at with. Not: what they do (place), nor that they are lent (place.cpp).
#pragma once

#include "place/job/graph.hpp"

namespace comity::cli {

// One for each CPU that this process may use, four at most, which is a guess: more than two were not measured.
[[nodiscard]] place::Crew crew_of_threads();

}  // namespace comity::cli
