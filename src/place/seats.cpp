// SPDX-License-Identifier: BSD-3-Clause
#include "place/seats.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "place/bounds/proof.hpp"
#include "place/bounds/weighed.hpp"
#include "place/small.hpp"

namespace comity::place {
namespace {

// Of each process how many nodes were met before its own.
std::vector<std::size_t> node_numbers(std::span<const Seat> seats) {
  std::unordered_map<std::uint64_t, std::size_t> met;
  std::vector<std::size_t> numbers;
  numbers.reserve(seats.size());
  for (const Seat& seat : seats) numbers.push_back(met.try_emplace(seat.node, met.size()).first->second);
  return numbers;
}

std::vector<Rank> in_order_of_places(std::span<const Seat> seats, const std::vector<std::size_t>& node) {
  std::vector<Rank> order(seats.size());
  std::iota(order.begin(), order.end(), Rank{0});
  std::stable_sort(order.begin(), order.end(), [&](Rank a, Rank b) {
    return std::pair(node[a], seats[a].position) < std::pair(node[b], seats[b].position);
  });
  return order;
}

// Types of which every process of a node is inside one object.
std::vector<std::size_t> types_told(std::span<const Seat> seats, std::span<const Rank> members) {
  std::vector<std::size_t> types;
  for (std::size_t type = 0; type < kLevelTypes.size(); ++type) {
    const auto is_told = [&](Rank rank) { return seats[rank].enclosing[type] != kNoObject; };
    if (std::all_of(members.begin(), members.end(), is_told)) types.push_back(type);
  }
  return types;
}

// Processes of one object one behind the other, those of the coarser types first: their PUs may have numbers in turn. Objects stand in the
// order in which positions meet them, so that those that lie in order stay so.
void gather_objects(std::span<const Seat> seats, std::span<Rank> members) {
  struct Met {
    std::size_t objects;               // of the type
    std::vector<std::size_t> numbers;  // of each process's object
  };
  std::vector<Met> types;
  for (const std::size_t type : types_told(seats, members)) {
    std::unordered_map<std::int32_t, std::size_t> met;
    Met one{0, {}};
    for (const Rank rank : members) {
      one.numbers.push_back(met.try_emplace(seats[rank].enclosing[type], met.size()).first->second);
    }
    one.objects = met.size();
    if (one.objects > 1) types.push_back(std::move(one));
  }
  std::stable_sort(types.begin(), types.end(), [](const Met& a, const Met& b) { return a.objects < b.objects; });
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const Met& type : types) {
      if (type.numbers[a] != type.numbers[b]) return type.numbers[a] < type.numbers[b];
    }
    return false;
  });
  std::vector<Rank> gathered;
  gathered.reserve(order.size());
  for (const std::size_t i : order) gathered.push_back(members[i]);
  std::copy(gathered.begin(), gathered.end(), members.begin());
}

// The processes of one node, and what divides them.
NodeShape shape_of(std::span<const Seat> seats, std::span<const Rank> members) {
  std::vector<Level> levels;
  for (const std::size_t type : types_told(seats, members)) {
    const auto object = [&](Rank rank) { return seats[rank].enclosing[type]; };
    Level level{std::string(machine::type_name(kLevelTypes[type])), {0}};
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (object(members[i]) != object(members[i - 1])) level.first.push_back(static_cast<Place>(i));
    }
    level.first.push_back(static_cast<Place>(members.size()));
    levels.push_back(std::move(level));
  }
  return node_shape(static_cast<std::uint32_t>(members.size()), std::move(levels));
}

bool divides_nothing(const Site& site) { return site.nodes() == 1 && site.levels().size() == 1; }

// The order that there was where nothing is better. Its bounds are those of what crosses in it.
Answer best_of(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective, const Mapping& own,
               const Cut& before) {
  Answer found;
  if (divides_nothing(site)) {
    found.together = least_together(graph, grid, site);
  } else {
    found = mapped(graph, grid, site, objective);
    if (key_of(objective, found.cut) < key_of(objective, before)) return found;
  }
  found.mapping = own;
  found.cut = before;
  return found;
}

}  // namespace

Seating seating_of(std::span<const Seat> seats) {
  const std::vector<std::size_t> node = node_numbers(seats);
  std::vector<Rank> order = in_order_of_places(seats, node);
  std::vector<NodeRun> nodes;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && node[order[end]] == node[order[begin]]) ++end;
    const std::span<Rank> members = std::span(order).subspan(begin, end - begin);
    gather_objects(seats, members);
    nodes.push_back({1, shape_of(seats, members)});
  }
  return {Site(nodes), std::move(order)};
}

Reordering reordered(const Graph& graph, const Grid* grid, std::span<const Seat> seats, const Objective& asked,
                     const NamedCosts& costs) {
  if (graph.ranks() > seats.size()) {
    throw Error(Status::range, "order " + std::to_string(seats.size()) + " processes: the grid or graph has " +
                                   std::to_string(graph.ranks()) + " ranks; make it smaller, or start more processes");
  }
  const Seating seating = seating_of(seats);
  Mapping own(seats.size());
  for (Place place = 0; place < own.size(); ++place) own[seating.rank_at[place]] = place;
  own.resize(graph.ranks());

  Reordering result;
  result.before = cut_of(graph, seating.site, own);
  const Objective objective = with_costs(asked, costs, seating.site);
  Answer best = best_of(graph, grid, seating.site, objective, own, result.before);
  best.bounds = bounds_of(seating.site, best);
  prove_more(best, graph, grid, seating.site);
  result.time = time_of(objective, best.cut);
  result.least_time = least_time(seating.site, objective, best);
  for (const Level& level : seating.site.levels()) result.levels.push_back(level.name);
  result.new_rank.assign(seats.size(), kNoRank);
  for (Rank rank = 0; rank < best.mapping.size(); ++rank) {
    result.new_rank[seating.rank_at[best.mapping[rank]]] = static_cast<std::int32_t>(rank);
  }
  result.after = std::move(best.cut);
  result.bounds = std::move(best.bounds);
  return result;
}

}  // namespace comity::place
