// SPDX-License-Identifier: BSD-3-Clause
// Cut: what a mapping makes cross each level of a site. An edge counts at the outermost level that parts its ends, once
// in the sum. `worst` is at the first level that of the node with most, all edges with one end in it; at an inner level
// that of the enclosing domain with most, all edges inside it that cross the level. So the figures are those that the
// literature gives for nodes (J_sum, J_max of Hunold et al., each edge once) and for sockets in a node. Not: what is good
// (objective.hpp).
#pragma once

#include <span>
#include <vector>

#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

using Mapping = std::vector<Place>;  // of each rank; no two ranks have the same place

// The domain of each rank at a level.
[[nodiscard]] std::vector<Domain> domains_of(const Site& site, std::size_t level, const Mapping& mapping);

struct Crossing {
  Weight sum = 0;
  Weight worst = 0;

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

struct LevelCut {
  Crossing weight;
  Crossing edges;  // the same with every edge counted as 1
};

using Cut = std::vector<LevelCut>;  // one a level of the site

[[nodiscard]] Cut cut_of(const Graph& graph, const Site& site, const Mapping& mapping);

// Weights alone, at the first level alone, of ranks whose nodes are known.
[[nodiscard]] Crossing node_cut(const Graph& graph, std::size_t nodes, std::span<const Domain> node_of);

}  // namespace comity::place
