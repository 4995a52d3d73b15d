// SPDX-License-Identifier: BSD-3-Clause
// Bounds: what no mapping can fall below, at each level. For grids: a set of n cells shows at least so much surface,
// whatever its form. Sources: Loomis and Whitney 1949 (a set is no larger than its shadows allow), Alonso and Cerf 1996
// and Ahlswede and Bezrukov 1995 (cells in three and more dimensions), Brass 1996 (cells of a plane with all eight
// neighbours).
// Invariant: a bound never exceeds what any mapping has; where nothing is known it is 0.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "place/bounds/filling.hpp"
#include "place/cut.hpp"
#include "place/job/grid.hpp"

namespace comity::place {

struct Bound {
  Weight sum = 0;
  Weight worst = 0;
};

// The least surface of a set of so many cells, each face weighed by its dimension's halo; edges across a face of the open
// grid count.
[[nodiscard]] Weight least_surface(const Grid& grid, std::size_t cells);

// What all levels down to each cut together: element l counts edges between different domains of level l. For any graph, and more
// for a grid.
[[nodiscard]] std::vector<Weight> least_together(const Graph& graph, const Grid* grid, const Site& site);
// The same where domains hold at most so many ranks.
[[nodiscard]] std::vector<Weight> least_together(const Graph& graph, const Grid* grid, const MostRanks& most);

// What crosses between parts at least where so many others at most are with each rank: all but its heaviest edges. For any graph.
[[nodiscard]] Weight least_by_degree(const Graph& graph, const std::function<std::size_t(Rank)>& beside);

// What the rank that exchanges most with others than its heaviest `beside` neighbours has with these: one part bears all of it.
[[nodiscard]] Weight least_of_one_rank(const Graph& graph, std::size_t beside);

// Of each level alone: at the first level of every mapping; at an inner one of every mapping that cuts no more outside of
// it than `cut`.
[[nodiscard]] std::vector<Bound> bounds_of(const Site& site, const std::vector<Weight>& together, const Cut& cut);

// The worst of so many domains bears at least its share.
[[nodiscard]] Weight share(Weight total, std::size_t domains);

}  // namespace comity::place
