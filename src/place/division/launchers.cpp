// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/launchers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
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

// The same with ranks that take several places each, up to the first one that no domain has room for.
Rank deal(const Level& level, const std::vector<Domain>& domains, const Widths& width, Rank rank, Mapping& mapping) {
  std::vector<Place> next;
  next.reserve(domains.size());
  for (const Domain domain : domains) next.push_back(level.first[domain]);
  for (std::size_t turn = 0; rank < width.size(); ++rank) {
    const auto has_room = [&](std::size_t at) { return next[at] + width[rank] <= level.first[domains[at] + 1]; };
    std::size_t tried = 0;
    for (; tried < domains.size() && !has_room(turn); ++tried) turn = (turn + 1) % domains.size();
    if (tried == domains.size()) return rank;
    mapping[rank] = next[turn];
    next[turn] += width[rank];
    turn = (turn + 1) % domains.size();
  }
  return rank;
}

// Node after node, each dealt to its domains of this level.
std::optional<Mapping> node_by_node(const Site& cores, std::size_t level, const Widths& threads) {
  const Level& nodes = cores.levels()[cores.node_level()];
  const Level& inner = cores.levels()[level];
  Mapping mapping(threads.size());
  Rank rank = 0;
  for (const Domain node : cores.nodes_in_turn()) {
    rank = deal(inner, domains_between(inner, nodes.first[node], nodes.first[node + 1]), threads, rank, mapping);
  }
  return rank == threads.size() ? std::optional(std::move(mapping)) : std::nullopt;
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

std::optional<Mapping> sequential_of_widths(const Site& cores, const Widths& threads) {
  return node_by_node(cores, cores.node_level(), threads);
}

std::optional<Mapping> round_robin_of_widths(const Site& cores, const Widths& threads) {
  Mapping mapping(threads.size());
  const Level& nodes = cores.levels()[cores.node_level()];
  const Rank dealt = deal(nodes, cores.nodes_in_turn(), threads, 0, mapping);
  return dealt == threads.size() ? std::optional(std::move(mapping)) : std::nullopt;
}

std::optional<Mapping> block_cyclic_of_widths(const Site& cores, const Widths& threads) {
  const std::size_t inner = cores.node_level() + 1;
  return node_by_node(cores, inner < cores.levels().size() ? inner : cores.node_level(), threads);
}

}  // namespace comity::place
