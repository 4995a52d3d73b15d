// SPDX-License-Identifier: BSD-3-Clause
#include "place/spare.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "place/division/anneal.hpp"
#include "place/division/bisect.hpp"
#include "place/division/orders.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostWalksLookedAt = 400'000;  // by all numbers of nodes together
constexpr std::size_t kFewestCounts = 4, kMostCounts = 64;
constexpr std::size_t kCountsOfGraph = 6, kMostHalved = 5'000;  // a graph of more ranks takes too long
constexpr std::size_t kLargeJob = 200'000;                      // of which one way will do where nodes are all but full

// What crosses nodes, about; in figures of their own.
struct Looks {
  double worst, sum;

  [[nodiscard]] bool better_than(const Looks& other, Aim aim) const {
    const bool sum_first = aim == Aim::sum || aim == Aim::hops;
    return sum_first ? std::pair(sum, worst) < std::pair(other.sum, other.worst)
                     : std::pair(worst, sum) < std::pair(other.worst, other.sum);
  }
};

// By the best box, or what comes next to one, of the largest share.
Looks looks_of(const Grid& grid, const Shares& shares, std::size_t nodes) {
  const double piece = least_estimate(grid, *std::max_element(shares.begin(), shares.end()));
  return {piece, piece * static_cast<double>(nodes)};
}

Looks looks_of(const Graph& graph, const Shares& shares, std::size_t nodes) {
  const std::vector<std::size_t> sizes(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(nodes));
  const Crossing cut = node_cut(graph, nodes, bisected(graph, sizes, 1));
  return {static_cast<double>(cut.worst), static_cast<double>(cut.sum)};
}

struct Between {
  Looks looks;
  std::size_t nodes;
};

// Takes the best out, if there is one.
std::optional<std::size_t> best_of(std::vector<Between>& between, Aim aim) {
  const auto best = std::min_element(between.begin(), between.end(), [&](const Between& one, const Between& other) {
    return one.looks.better_than(other.looks, aim);
  });
  if (best == between.end()) return std::nullopt;
  const std::size_t nodes = best->nodes;
  std::erase_if(between, [&](const Between& one) { return one.nodes == nodes; });
  return nodes;
}

std::size_t counts_looked_at(const Grid& grid, std::size_t node_ranks) {
  const std::size_t walked = std::max<std::size_t>(1, count_of_walks(grid, node_ranks));
  return std::clamp(kMostWalksLookedAt / walked, kFewestCounts, kMostCounts);
}

std::vector<Between> looks_of_all(const Graph& graph, const Grid* grid, std::span<const std::uint32_t> rooms) {
  const std::size_t ranks = graph.ranks(), fewest = fewest_nodes(rooms, ranks);
  const std::size_t most = grid != nullptr ? counts_looked_at(*grid, (ranks + fewest - 1) / fewest) : kCountsOfGraph;
  std::vector<Between> all;
  for (const std::size_t nodes : node_counts(rooms, ranks, most)) {
    const Shares shares = even_shares(rooms, ranks, nodes);
    all.push_back({grid != nullptr ? looks_of(*grid, shares, nodes) : looks_of(graph, shares, nodes), nodes});
  }
  // What an estimate does not tell: at the border of a grid boxes exchange less.
  for (const Boxes& boxes : boxes_on_alike(grid, rooms)) {
    all.push_back({{static_cast<double>(boxes.cut.worst), static_cast<double>(boxes.cut.sum)}, boxes.count});
  }
  return all;
}

// Even on numbers of the first nodes between the fewest and all; of a small job one by each aim, the same ones whatever was asked
// (candidates.hpp), of a large one none that looks worse than both ends, which are tried anyway. `grid`: its boxes tell; else the graph is
// halved, which tells more where nodes differ: the largest share alone does not say then what the others cut.
std::vector<Shares> looking_best(const Graph& graph, const Grid* grid, std::span<const std::uint32_t> rooms, Aim aim) {
  const std::size_t ranks = graph.ranks();
  std::vector<Shares> found;
  if (grid == nullptr && ranks > kMostHalved) return found;
  std::vector<Between> between = looks_of_all(graph, grid, rooms);
  const bool is_small = ranks <= kMostDividedForBothAims;
  const std::size_t fewest = fewest_nodes(rooms, ranks), all = std::min(rooms.size(), ranks);
  if (is_small) std::erase_if(between, [&](const Between& one) { return one.nodes == fewest || one.nodes == all; });
  const std::vector<Aim> aims = is_small ? std::vector{Aim::worst, Aim::sum} : std::vector{aim};
  for (const Aim one : aims) {
    if (const auto nodes = best_of(between, one)) found.push_back(even_shares(rooms, ranks, *nodes));
  }
  return found;
}

// No share is far from full then.
bool has_no_choice(std::span<const std::uint32_t> rooms, std::size_t ranks) {
  const std::size_t room = std::accumulate(rooms.begin(), rooms.end(), std::size_t{0});
  return ranks > kLargeJob && room - ranks < rooms.size();
}

struct DifferentShares {
  std::vector<Shares> all;

  void add(Shares shares) {
    if (std::find(all.begin(), all.end(), shares) == all.end()) all.push_back(std::move(shares));
  }
  void add_all(std::vector<Shares> more) {
    for (Shares& shares : more) add(std::move(shares));
  }
};

}  // namespace

bool nodes_differ(std::span<const std::uint32_t> rooms) {
  return std::adjacent_find(rooms.begin(), rooms.end(), std::not_equal_to<>()) != rooms.end();
}

std::vector<std::size_t> largest_first(std::span<const std::uint32_t> rooms) {
  std::vector<std::size_t> order(rooms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return rooms[one] > rooms[other]; });
  return order;
}

Shares back_in_order(const Shares& shares, const std::vector<std::size_t>& order) {
  Shares back(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) back[order[i]] = shares[i];
  return back;
}

Shares filled_in_order(std::span<const std::uint32_t> rooms, std::size_t total) {
  Shares shares(rooms.size(), 0);
  for (std::size_t node = 0; node < rooms.size(); ++node) {
    shares[node] = std::min<std::size_t>(rooms[node], total);
    total -= shares[node];
  }
  return shares;
}

Shares even_shares(std::span<const std::uint32_t> rooms, std::size_t total, std::size_t nodes) {
  std::vector<std::size_t> by_size(nodes);
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t one, std::size_t other) { return rooms[one] < rooms[other]; });
  Shares shares(rooms.size(), 0);
  for (std::size_t i = 0; i < nodes; ++i) {  // the small ones first, so that what they lack goes to the others
    const std::size_t node = by_size[i];
    shares[node] = std::min<std::size_t>(rooms[node], total / (nodes - i));
    total -= shares[node];
  }
  return shares;
}

Shares in_proportion(std::span<const std::uint32_t> rooms, std::size_t total) {
  const std::size_t all = std::accumulate(rooms.begin(), rooms.end(), std::size_t{0});
  Shares shares;
  std::size_t room = 0, before = 0;
  for (const std::uint32_t one : rooms) {
    room += one;
    const std::size_t end = room * total / all;  // of what is shared up to this node
    shares.push_back(end - before);
    before = end;
  }
  return shares;
}

std::size_t fewest_nodes(std::span<const std::uint32_t> rooms, std::size_t total) {
  std::size_t nodes = 0;
  for (std::size_t room = 0; nodes < rooms.size() && room < total; ++nodes) room += rooms[nodes];
  return nodes;
}

std::vector<std::size_t> node_counts(std::span<const std::uint32_t> rooms, std::size_t total, std::size_t most) {
  std::vector<std::size_t> counts;
  std::size_t last = 0;                                   // largest share
  const std::size_t all = std::min(rooms.size(), total);  // more than there are ranks would stay empty
  for (std::size_t nodes = fewest_nodes(rooms, total); nodes <= all; ++nodes) {
    const std::size_t share = (total + nodes - 1) / nodes;
    if (share != last) counts.push_back(nodes);
    last = share;
  }
  if (!counts.empty() && counts.back() != all) counts.push_back(all);
  if (counts.size() <= most) return counts;
  std::vector<std::size_t> thin;
  for (std::size_t i = 0; i < most; ++i) thin.push_back(counts[i * (counts.size() - 1) / (most - 1)]);
  return thin;
}

std::vector<Shares> shares_to_try(const Graph& graph, const Grid* grid, std::span<const std::uint32_t> rooms, Aim aim) {
  const std::size_t ranks = graph.ranks();
  DifferentShares tried;
  tried.add(filled_in_order(rooms, ranks));
  if (has_no_choice(rooms, ranks)) return tried.all;
  tried.add(even_shares(rooms, ranks, fewest_nodes(rooms, ranks)));
  tried.add(even_shares(rooms, ranks, std::min(rooms.size(), ranks)));
  if (nodes_differ(rooms)) tried.add(in_proportion(rooms, ranks));
  tried.add_all(looking_best(graph, grid, rooms, aim));
  return tried.all;
}

std::vector<Shares> all_even_shares(std::size_t ranks, std::span<const std::uint32_t> rooms) {
  std::vector<Shares> all;
  for (const std::size_t nodes : node_counts(rooms, ranks, kMostCounts))
    all.push_back(even_shares(rooms, ranks, nodes));
  return all;
}

std::vector<Boxes> boxes_on_alike(const Grid* grid, std::span<const std::uint32_t> rooms) {
  if (grid == nullptr || nodes_differ(rooms)) return {};
  const std::size_t cells = grid->cells();
  return best_boxes(*grid, {fewest_nodes(rooms, cells), std::min(rooms.size(), cells), rooms.front()});
}

std::vector<Shares> more_shares_of_unlike(const Graph& graph, const Grid* grid, std::span<const std::uint32_t> rooms,
                                          Aim aim) {
  const std::size_t ranks = graph.ranks();
  DifferentShares tried;
  if (!nodes_differ(rooms) || has_no_choice(rooms, ranks)) return {};
  if (grid != nullptr) tried.add_all(looking_best(graph, nullptr, rooms, aim));
  const std::vector<std::size_t> order = largest_first(rooms);
  std::vector<std::uint32_t> by_size;
  by_size.reserve(order.size());
  for (const std::size_t node : order) by_size.push_back(rooms[node]);
  const auto add = [&](const Shares& shares) { tried.add(back_in_order(shares, order)); };
  add(filled_in_order(by_size, ranks));
  add(even_shares(by_size, ranks, fewest_nodes(by_size, ranks)));
  for (const Shares& shares : looking_best(graph, grid, by_size, aim)) add(shares);
  if (grid == nullptr) return tried.all;
  for (const Shares& shares : looking_best(graph, nullptr, by_size, aim)) add(shares);
  return tried.all;
}

std::vector<std::uint32_t> rooms_of(const Site& site) {
  const std::vector<std::size_t> sizes = site.levels()[site.node_level()].sizes();
  return {sizes.begin(), sizes.end()};
}

std::vector<Place> places_of(const Site& site, const Shares& shares) {
  const Level& nodes = site.levels()[site.node_level()];
  std::vector<Place> places;
  for (std::size_t node = 0; node < shares.size(); ++node) {
    for (std::size_t i = 0; i < shares[node]; ++i) places.push_back(nodes.first[node] + static_cast<Place>(i));
  }
  return places;
}

}  // namespace comity::place
