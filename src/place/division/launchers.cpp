// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/launchers.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace comity::place {
namespace {

// Ranks from `rank` on go in turn to these domains of `level`, each filled in order.
Rank deal(const Level& level, std::vector<Domain> open, Rank rank, Mapping& mapping) {
  for (Place taken = 0; !open.empty() && rank < mapping.size(); ++taken) {
    std::erase_if(open, [&](Domain domain) { return taken >= level.size(domain); });
    for (const Domain domain : open) {
      if (rank == mapping.size()) break;
      mapping[rank++] = level.first[domain] + taken;
    }
  }
  return rank;
}

// Those of the level that lie between two places.
std::vector<Domain> domains_between(const Level& level, Place from, Place to) {
  const auto begin = std::lower_bound(level.first.begin(), level.first.end(), from);
  const auto end = std::lower_bound(begin, level.first.end(), to);
  std::vector<Domain> domains(static_cast<std::size_t>(end - begin));
  std::iota(domains.begin(), domains.end(), static_cast<Domain>(begin - level.first.begin()));
  return domains;
}

}  // namespace

Mapping sequential(const Site& site, std::size_t ranks) {
  const Level& nodes = site.levels()[site.node_level()];
  Mapping mapping(ranks);
  Rank rank = 0;
  for (const Domain node : site.nodes_in_turn()) {
    for (Place place = nodes.first[node]; place < nodes.first[node + 1] && rank < ranks; ++place)
      mapping[rank++] = place;
  }
  return mapping;
}

Mapping round_robin(const Site& site, std::size_t ranks) {
  Mapping mapping(ranks);
  (void)deal(site.levels()[site.node_level()], site.nodes_in_turn(), 0, mapping);
  return mapping;
}

Mapping block_cyclic(const Site& site, std::size_t ranks) {
  if (site.levels().size() < site.node_level() + 2) return sequential(site, ranks);
  const Level& nodes = site.levels()[site.node_level()];
  const Level& inner = site.levels()[site.node_level() + 1];
  Mapping mapping(ranks);
  Rank rank = 0;
  for (const Domain node : site.nodes_in_turn()) {
    rank = deal(inner, domains_between(inner, nodes.first[node], nodes.first[node + 1]), rank, mapping);
  }
  return mapping;
}

}  // namespace comity::place
