// SPDX-License-Identifier: BSD-3-Clause
// Small: what is left to find and to prove of a job of few ranks, on any nodes, when a mapping is known. All divisions among the domains of
// each level are compared, which proves its bounds, and all mappings by all levels together, which proves the whole. Where that takes too
// many steps an answer stays as it is, or is better. Not: unequal threads (division/uneven.hpp).
#pragma once

#include "place/mapper.hpp"

namespace comity::place {

// `answer`: without bounds; what it cuts together is raised, and its mapping is another one where that is better.
void try_all_of_small(Answer& answer, const Graph& graph, const Site& site, const Objective& objective,
                      const Progress& progress);

// Whether no figure of any level can be less, by what is known.
[[nodiscard]] bool nothing_is_better(const Site& site, const Objective& objective, const Answer& answer);

// Of what is known of all mappings beside the cut of its own.
[[nodiscard]] std::vector<Bound> bounds_of(const Site& site, const Answer& answer);

}  // namespace comity::place
