// SPDX-License-Identifier: BSD-3-Clause
#include "place/small_on_torus.hpp"

#include <utility>

#include "place/division/all_levels.hpp"
#include "place/division/inside.hpp"
#include "place/division/try_links.hpp"
#include "place/spare.hpp"

namespace comity::place {
namespace {

constexpr std::string_view kAllWaysTried = "all tried";
constexpr std::size_t kMappingStepsOnTorus = 200'000;

std::vector<std::vector<Weight>> ways_between(const std::vector<std::uint32_t>& cells, const Network& torus) {
  const TorusWays links(torus.torus);
  std::vector<std::vector<Weight>> ways;
  for (const std::uint32_t one : cells) {
    auto& row = ways.emplace_back();
    for (const std::uint32_t other : cells) row.push_back(links.links(one, other));
  }
  return ways;
}

Weight try_links(const SmallTorusTask& task, const std::vector<std::uint32_t>& cells) {
  const std::vector<std::uint32_t> rooms = rooms_of(task.site), widths(task.graph.ranks(), 1);
  const TriedLinks tried = fewest_links({task.graph, task.torus.torus, cells, rooms, widths, task.known().links});
  if (tried.node_of) {
    task.offer(std::string(kAllWaysTried), settled(task.graph, task.site.without_network(), *tried.node_of));
  }
  return tried.at_least;
}

// Of equally few links the levels decide.
void try_levels(const SmallTorusTask& task, const std::vector<std::uint32_t>& cells) {
  const Portions portions = [&](std::size_t number, std::size_t of) {
    if (task.progress) task.progress("trying all mappings", number, of);
  };
  const Key key = task.known().key;
  TriedMappings tried = best_of_all_mappings(
      {task.graph, task.site, task.objective, key, kMappingStepsOnTorus, portions, ways_between(cells, task.torus)});
  if (tried.better) task.offer(std::string(kAllWaysTried), *std::move(tried.better));
}

}  // namespace

std::vector<std::uint32_t> cells_of_nodes(const Site& site) {
  std::vector<std::uint32_t> cells;
  for (Domain node = 0; node < site.levels()[site.node_level()].domains(); ++node)
    cells.push_back(site.number_of(node));
  return cells;
}

Weight try_all_of_small_on_torus(const SmallTorusTask& task) {
  if (task.graph.ranks() > kMostRanksTried || rooms_of(task.site).size() > kMostDomainsTried) return 0;
  const std::vector<std::uint32_t> cells = cells_of_nodes(task.site);
  const Weight least = try_links(task, cells);
  try_levels(task, cells);
  return least;
}

}  // namespace comity::place
