// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/bounds.hpp"

#include <algorithm>

#include "place/bounds/connected.hpp"

namespace comity::place {

Weight share(Weight total, std::size_t domains) {
  const auto count = static_cast<Weight>(domains);
  return (total + count - 1) / count;
}

std::vector<Weight> least_together(const Graph& graph, const Grid* grid, const Site& site) {
  return least_together(graph, grid, most_ranks(site));
}

std::vector<Weight> least_together(const Graph& graph, const Grid* grid, const MostRanks& most) {
  std::vector<Weight> together;
  Weight before = 0;
  const bool hangs_by_few = grid == nullptr && has_few_edges(graph);
  for (const std::vector<std::size_t>& level : most) {
    const std::size_t largest = *std::max_element(level.begin(), level.end());
    if (level.size() > 1 && largest > 0) {
      if (grid != nullptr) before = std::max(before, least_between(*grid, level));
      if (hangs_by_few) before = std::max(before, least_by_connection(graph, level));
      const Weight most_kept = most_by_degree(graph, largest - 1);
      // One edge joins two cells, but where a ring is two cells long.
      const bool is_exact = grid != nullptr && !grid->wraps() && !graph.weighted();
      if (most_kept > before) {
        before = is_exact ? most_kept : std::max(before, least_by_degree(graph, [&](Rank) { return largest - 1; }));
      }
    }
    together.push_back(before);
  }
  return together;
}

std::vector<Bound> bounds_of(const Site& site, const std::vector<Weight>& together, const Cut& cut) {
  std::vector<Bound> bounds;
  Weight outside = 0;
  for (std::size_t level = 0; level < together.size(); ++level) {
    const Weight sum = std::max<Weight>(0, together[level] - outside);
    // At the first level an edge burdens both of its nodes.
    const Weight worst = level == 0 ? share(2 * sum, site.nodes()) : share(sum, site.levels()[level - 1].domains());
    bounds.push_back({sum, worst});
    outside += cut[level].weight.sum;
  }
  return bounds;
}

}  // namespace comity::place
