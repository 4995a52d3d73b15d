// SPDX-License-Identifier: BSD-3-Clause
#include "place/launchers.hpp"

#include <numeric>
#include <vector>

namespace comity::place {
namespace {

// Ranks from `rank` on go in turn to the domains of `level` from `begin` to `end`, each filled in order.
Rank deal(const Level& level, std::size_t begin, std::size_t end, Rank rank, Mapping& mapping) {
  std::vector<std::size_t> open(end - begin);
  std::iota(open.begin(), open.end(), begin);
  for (Place taken = 0; !open.empty() && rank < mapping.size(); ++taken) {
    std::erase_if(open, [&](std::size_t domain) { return taken >= level.size(domain); });
    for (const std::size_t domain : open) {
      if (rank == mapping.size()) break;
      mapping[rank++] = level.first[domain] + taken;
    }
  }
  return rank;
}

}  // namespace

Mapping sequential(const Site& /*site*/, std::size_t ranks) {
  Mapping mapping(ranks);
  std::iota(mapping.begin(), mapping.end(), Place{0});
  return mapping;
}

Mapping round_robin(const Site& site, std::size_t ranks) {
  Mapping mapping(ranks);
  const Level& nodes = site.levels()[site.node_level()];
  (void)deal(nodes, 0, nodes.domains(), 0, mapping);
  return mapping;
}

Mapping block_cyclic(const Site& site, std::size_t ranks) {
  if (site.levels().size() < site.node_level() + 2) return sequential(site, ranks);
  const Level& nodes = site.levels()[site.node_level()];
  const Level& inner = site.levels()[site.node_level() + 1];
  Mapping mapping(ranks);
  Rank rank = 0;
  std::size_t domain = 0;
  for (std::size_t node = 0; node < nodes.domains(); ++node) {
    std::size_t end = domain;
    while (end < inner.domains() && inner.first[end] < nodes.first[node + 1]) ++end;
    rank = deal(inner, domain, end, rank, mapping);
    domain = end;
  }
  return mapping;
}

}  // namespace comity::place
