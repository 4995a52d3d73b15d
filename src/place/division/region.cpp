// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/region.hpp"

namespace comity::place {

std::vector<Domain> random_region(const Graph& graph, const std::vector<Domain>& part, std::size_t nodes,
                                  std::size_t most, Random& random) {
  std::vector<Domain> region;
  std::vector<bool> is_inside(nodes, false);
  std::vector<Domain> around;  // by ranks exchanged with: a node that exchanges much is there as often
  const auto take_in = [&](Domain node) {
    region.push_back(node);
    is_inside[node] = true;
    for (Rank rank = 0; rank < part.size(); ++rank) {
      if (part[rank] == node) graph.for_each_edge(rank, [&](Rank other, Weight) { around.push_back(part[other]); });
    }
    std::erase_if(around, [&](Domain one) { return is_inside[one]; });
  };
  take_in(part[random.below(part.size())]);
  while (region.size() < most && !around.empty()) take_in(around[random.below(around.size())]);
  return region;
}

}  // namespace comity::place
