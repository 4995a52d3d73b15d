// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/proof.hpp"

#include <algorithm>

#include "place/bounds/flows.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostProvenRanks = 200'000;

}  // namespace

std::vector<Weight> least_together_by_flows(const Graph& graph, const MostRanks& most, const Portions& portions) {
  std::vector<Weight> together;
  Weight before = 0;
  const Portions of_all = [&](std::size_t number, std::size_t of) {
    portions(together.size() * of + number, most.size() * of);
  };
  for (const std::vector<std::size_t>& level : most) {
    const std::size_t largest = *std::max_element(level.begin(), level.end());
    if (level.size() > 1 && largest > 0)
      before = std::max(before, least_by_flows(graph, largest, portions ? of_all : Portions{}));
    together.push_back(before);
  }
  return together;
}

bool flows_prove_more(const Graph& graph, const Grid* grid, const Site& site, std::span<const std::uint32_t> threads) {
  const bool surfaces_tell = grid != nullptr && threads.empty() && graph.ranks() == site.places();
  const bool fits = graph.ranks() <= site.places();  // else there is no mapping
  return fits && !surfaces_tell && graph.ranks() <= kMostProvenRanks;
}

std::vector<Weight> least_together_by_flows(const Graph& graph, const Site& site,
                                            std::span<const std::uint32_t> threads, const Portions& portions) {
  return least_together_by_flows(graph, threads.empty() ? most_ranks(site) : most_ranks(site, threads), portions);
}

void raise_bounds(Answer& answer, const Site& site, const std::vector<Weight>& together) {
  const std::vector<Bound> more = bounds_of(site, together, answer.cut);
  for (std::size_t level = 0; level < more.size(); ++level) {
    Bound& bound = answer.bounds[level];
    bound.sum = std::max(bound.sum, more[level].sum);
    bound.worst = std::max(bound.worst, more[level].worst);
  }
}

// It bears the worst of each level too: of every mapping that leaves no more outside of the level than this one, as at sums.
void raise_bounds_by_one_rank(Answer& answer, const Graph& graph, const Site& site,
                              std::span<const std::uint32_t> threads) {
  Weight outside = 0, alone = 0;
  const MostRanks most = threads.empty() ? most_ranks(site) : most_ranks(site, threads);
  for (std::size_t level = 0; level < most.size(); ++level) {
    const std::size_t largest = *std::max_element(most[level].begin(), most[level].end());
    if (most[level].size() > 1 && largest > 0) alone = std::max(alone, least_of_one_rank(graph, largest - 1));
    Bound& bound = answer.bounds[level];
    bound.sum = std::max(bound.sum, alone - outside);
    bound.worst = std::max(bound.worst, alone - outside);
    outside += answer.cut[level].weight.sum;
  }
}

void prove_more(Answer& answer, const Graph& graph, const Grid* grid, const Site& site,
                std::span<const std::uint32_t> threads) {
  raise_bounds_by_one_rank(answer, graph, site, threads);
  if (!flows_prove_more(graph, grid, site, threads)) return;
  raise_bounds(answer, site, least_together_by_flows(graph, site, threads));
}

}  // namespace comity::place
