// SPDX-License-Identifier: BSD-3-Clause
// Flows: a bound for any graph. Each rank sends something to ranks around it, more of them than fit beside it, and no edge
// bears more than its weight; what goes to ranks in other parts crosses the cut, which weighs as much then. Sources: Leighton
// and Rao 1999 (what flows between all pairs, and cuts), Even, Naor, Rao, Schieber 1999 (parts of limited size).
// Invariant: the bound holds whichever ways the flows take; they are chosen by a rule of thumb, and counted in whole numbers.
#pragma once

#include "place/job/graph.hpp"
#include "place/progress.hpp"

namespace comity::place {

// The sum of a division into parts of at most so many ranks is at least this. `most`: at least 1.
[[nodiscard]] Weight least_by_flows(const Graph& graph, std::size_t most, const Portions& portions = {});

}  // namespace comity::place
