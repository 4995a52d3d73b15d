// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/coarse.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "place/division/random.hpp"

namespace comity::place {
namespace {

constexpr Rank kAlone = ~Rank{0};

// The partner of each rank, or itself.
std::vector<Rank> matched(const SizedGraph& fine, std::uint32_t most, std::uint64_t seed,
                          std::span<const std::uint32_t> group) {
  std::vector<Rank> partner(fine.graph.ranks(), kAlone);
  Random random(fine.graph.ranks() + (seed << 32U));
  for (const Rank rank : shuffled<Rank>(fine.graph.ranks(), random)) {  // so that no direction of a grid is preferred
    if (partner[rank] != kAlone) continue;
    Rank best = rank;
    double best_weight = 0;
    const std::uint32_t own_size = fine.size[rank];
    fine.graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (partner[other] != kAlone || own_size + fine.size[other] > most) return;
      if (!group.empty() && group[rank] != group[other]) return;
      // Of equal weights the lighter pair: coarse ranks stay alike.
      const double worth = static_cast<double>(weight) / static_cast<double>(fine.size[other]);
      if (worth <= best_weight) return;
      best = other;
      best_weight = worth;
    });
    partner[rank] = best;
    partner[best] = rank;
  }
  return partner;
}

}  // namespace

std::uint32_t SizedGraph::largest() const { return *std::max_element(size.begin(), size.end()); }

SizedGraph with_unit_sizes(Graph graph) {
  std::vector<std::uint32_t> size(graph.ranks(), 1);
  return {std::move(graph), std::move(size)};
}

Coarse coarsened(const SizedGraph& fine, std::uint32_t most, std::uint64_t seed, std::span<const std::uint32_t> group) {
  const std::vector<Rank> partner = matched(fine, most, seed, group);
  Coarse coarse;
  coarse.of.assign(partner.size(), kAlone);
  std::vector<Rank> members;  // the first of each coarse rank
  for (Rank rank = 0; rank < partner.size(); ++rank) {
    if (coarse.of[rank] != kAlone) continue;
    coarse.of[rank] = coarse.of[partner[rank]] = static_cast<Rank>(members.size());
    members.push_back(rank);
    coarse.sized.size.push_back(fine.size[rank] + (partner[rank] == rank ? 0 : fine.size[partner[rank]]));
  }
  std::vector<std::uint64_t> first{0};
  std::vector<Rank> to(2 * fine.graph.edges());
  std::vector<Weight> weights(to.size());
  first.reserve(members.size() + 1);
  // Of a coarse rank: the last row with an edge to it, and where that edge is.
  struct Mark {
    Rank row;
    std::uint64_t at;
  };
  std::vector<Mark> marks(members.size(), {kAlone, 0});
  std::uint64_t count = 0;
  for (Rank own = 0; own < members.size(); ++own) {
    // Nobody can foresee whether an edge is a new one, so both are done in the same way.
    const auto add = [&](Rank rank) {
      fine.graph.for_each_edge(rank, [&](Rank other, Weight weight) {
        const Rank theirs = coarse.of[other];
        if (theirs == own) return;
        Mark& mark = marks[theirs];
        const bool is_new = mark.row != own;
        const std::uint64_t at = is_new ? count : mark.at;
        mark = {own, at};
        to[at] = theirs;
        weights[at] = weight + (is_new ? 0 : weights[at]);
        count += is_new ? 1 : 0;
      });
    };
    add(members[own]);
    if (partner[members[own]] != members[own]) add(partner[members[own]]);
    first.push_back(count);
  }
  to.resize(count);
  weights.resize(count);
  coarse.sized.graph = Graph(std::move(first), std::move(to), std::move(weights));
  return coarse;
}

Coarse clustered(const Graph& graph, std::size_t clusters, std::uint32_t most, std::uint64_t seed,
                 std::vector<std::uint32_t> group) {
  Coarse now{with_unit_sizes(graph), std::vector<Rank>(graph.ranks())};
  std::iota(now.of.begin(), now.of.end(), Rank{0});
  while (now.sized.graph.ranks() > clusters) {
    Coarse next = coarsened(now.sized, most, seed, group);
    const std::size_t ranks = next.sized.graph.ranks();
    if (ranks > now.sized.graph.ranks() * 19 / 20) break;
    std::vector<std::uint32_t> next_group(group.empty() ? 0 : ranks);
    for (Rank rank = 0; rank < group.size(); ++rank) next_group[next.of[rank]] = group[rank];
    group = std::move(next_group);
    for (Rank& of : now.of) of = next.of[of];
    now.sized = std::move(next.sized);
  }
  return now;
}

}  // namespace comity::place
