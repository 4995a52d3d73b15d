// SPDX-License-Identifier: BSD-3-Clause
// Connected: a bound for graphs of few edges, chains, rings and trees among them. To part what hangs together into k parts takes k - 1 edges
// at least, and one more where an edge is cut without which its ends would still hang together.
// Invariant: it holds whether the parts themselves hang together or not.
#pragma once

#include <cstddef>
#include <span>

#include "place/job/graph.hpp"

namespace comity::place {

// Whether it is worth its time: of denser graphs others prove more.
[[nodiscard]] bool has_few_edges(const Graph& graph);

// The sum of a division into parts of at most so many ranks each, some of which may be empty, is at least this.
[[nodiscard]] Weight least_by_connection(const Graph& graph, std::span<const std::size_t> most);

}  // namespace comity::place
