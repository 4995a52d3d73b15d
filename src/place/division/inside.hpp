// SPDX-License-Identifier: BSD-3-Clause
// Inside: where ranks run in their nodes: level by level each domain's ranks are split among the domains in it. Nodes
// whose ranks exchange alike are split alike, and only once: of ten thousand boxes one is worked on. Not: which ranks a
// node gets (mapper.hpp). Where a domain has more places than ranks, the ways to share them out that nodes have are tried for the domains
// in it (spare.hpp), and ranks move into what room is left.
#pragma once

#include <span>

#include "place/cut.hpp"
#include "place/division/split.hpp"
#include "place/job/grid.hpp"
#include "place/progress.hpp"

namespace comity::place {

// The different pieces of a level share the swaps.
inline constexpr Effort kUsualEffort{1'500'000, 3};
inline constexpr Effort kGreatEffort{8'000'000, 8};

// node_of[r] is the node of rank r; no node has more ranks than places. `grid`: whose graph it is, if it is one's. `portions`: of all levels.
[[nodiscard]] Mapping settled(const Graph& graph, const Site& site, std::span<const Domain> node_of,
                              const Effort& effort = kUsualEffort, const Grid* grid = nullptr,
                              const Portions& portions = {});

// The same once more for a mapping that has been settled: nodes that are full again, with the same ranks, keep what they have.
[[nodiscard]] Mapping shared_out(const Graph& graph, const Site& site, const Mapping& known, const Effort& effort,
                                 const Grid* grid, const Portions& portions);

// And of a graph's mapping that fills the site, each node on from what it has.
[[nodiscard]] Mapping settled_on(const Graph& graph, const Site& site, const Mapping& known, const Effort& effort,
                                 const Portions& portions);

}  // namespace comity::place
