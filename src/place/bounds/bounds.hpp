// SPDX-License-Identifier: BSD-3-Clause
// Bounds: what no mapping can fall below, at each level: of grids by surfaces (surface.hpp), of any graph by its heaviest edges
// (degree.hpp), of one that few edges hold together by these (connected.hpp). Not: what takes its time (proof.hpp).
// Invariant: a bound never exceeds what any mapping has; where nothing is known it is 0.
#pragma once

#include <vector>

#include "place/bounds/degree.hpp"
#include "place/bounds/filling.hpp"
#include "place/bounds/surface.hpp"
#include "place/cut.hpp"
#include "place/job/grid.hpp"

namespace comity::place {

struct Bound {
  Weight sum = 0;
  Weight worst = 0;
};

// What all levels down to each cut together: element l counts edges between different domains of level l. For any graph, and more
// for a grid.
[[nodiscard]] std::vector<Weight> least_together(const Graph& graph, const Grid* grid, const Site& site);
// The same where domains hold at most so many ranks.
[[nodiscard]] std::vector<Weight> least_together(const Graph& graph, const Grid* grid, const MostRanks& most);

// Of each level alone: at the first level of every mapping; at an inner one of every mapping that cuts no more outside of
// it than `cut`.
[[nodiscard]] std::vector<Bound> bounds_of(const Site& site, const std::vector<Weight>& together, const Cut& cut);

// The worst of so many domains bears at least its share.
[[nodiscard]] Weight share(Weight total, std::size_t domains);

}  // namespace comity::place
