// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/proof.hpp"

#include <algorithm>

#include "place/bounds/flows.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostProvenRanks = 200'000;

}  // namespace

std::vector<Weight> least_together_by_flows(const Graph& graph, const Site& site, std::uint32_t narrowest) {
  std::vector<Weight> together;
  Weight before = 0;
  for (std::size_t at = 0; at < site.levels().size(); ++at) {
    // Below the nodes a rank counts where its first core is, and may reach out of the domain with the others.
    const std::size_t cores = largest_of(site.levels()[at]);
    const std::size_t most = at <= site.node_level() ? cores / narrowest : (cores - 1) / narrowest + 1;
    if (site.levels()[at].domains() > 1 && most > 0) before = std::max(before, least_by_flows(graph, most));
    together.push_back(before);
  }
  return together;
}

void prove_more(Answer& answer, const Graph& graph, const Grid* grid, const Site& site, std::uint32_t narrowest) {
  const bool surfaces_tell = grid != nullptr && graph.ranks() == site.places();
  if (surfaces_tell || graph.ranks() > kMostProvenRanks) return;
  const std::vector<Bound> more = bounds_of(site, least_together_by_flows(graph, site, narrowest), answer.cut);
  for (std::size_t level = 0; level < more.size(); ++level) {
    Bound& bound = answer.bounds[level];
    bound.sum = std::max(bound.sum, more[level].sum);
    bound.worst = std::max(bound.worst, more[level].worst);
  }
}

}  // namespace comity::place
