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
  const double piece = walks(grid, *std::max_element(shares.begin(), shares.end())).front().estimate;
  return {piece, piece * static_cast<double>(nodes)};
}

Looks looks_of(const Graph& graph, const Shares& shares, std::size_t nodes) {
  const std::vector<std::size_t> sizes(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(nodes));
  const Crossing cut = node_cut(graph, nodes, bisected(graph, sizes, 1));
  return {static_cast<double>(cut.worst), static_cast<double>(cut.sum)};
}

struct Between {
  Looks looks;
  Shares shares;
};

// Moves the best of them out, if there is one.
std::optional<Shares> best_of(std::vector<Between>& between, Aim aim) {
  const auto best = std::min_element(between.begin(), between.end(), [&](const Between& one, const Between& other) {
    return one.looks.better_than(other.looks, aim);
  });
  if (best == between.end()) return std::nullopt;
  Shares shares = std::move(best->shares);
  between.erase(best);
  return shares;
}

std::size_t counts_looked_at(const Grid& grid, std::size_t node_ranks) {
  const std::size_t walked = std::max<std::size_t>(1, walks(grid, node_ranks).size());
  return std::clamp(kMostWalksLookedAt / walked, kFewestCounts, kMostCounts);
}

}  // namespace

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
  const std::size_t ranks = graph.ranks(), fewest = fewest_nodes(rooms, ranks);
  std::vector<Shares> tried;
  const auto add = [&](Shares shares) {
    if (std::find(tried.begin(), tried.end(), shares) == tried.end()) tried.push_back(std::move(shares));
  };
  add(filled_in_order(rooms, ranks));
  const std::size_t room = std::accumulate(rooms.begin(), rooms.end(), std::size_t{0});
  if (ranks > kLargeJob && room - ranks < rooms.size()) return tried;
  add(even_shares(rooms, ranks, fewest));
  add(even_shares(rooms, ranks, std::min(rooms.size(), ranks)));
  if (std::adjacent_find(rooms.begin(), rooms.end(), std::not_equal_to<>()) != rooms.end()) {
    add(in_proportion(rooms, ranks));
  }
  if (grid == nullptr && ranks > kMostHalved) return tried;
  const std::size_t most = grid != nullptr ? counts_looked_at(*grid, (ranks + fewest - 1) / fewest) : kCountsOfGraph;
  std::vector<Between> between;
  for (const std::size_t nodes : node_counts(rooms, ranks, most)) {
    Shares shares = even_shares(rooms, ranks, nodes);
    const Looks looks = grid != nullptr ? looks_of(*grid, shares, nodes) : looks_of(graph, shares, nodes);
    between.push_back({looks, std::move(shares)});
  }
  // Of a small job one by each aim, the same ones whatever was asked (candidates.hpp).
  const std::vector<Aim> aims = ranks <= kMostDividedForBothAims ? std::vector{Aim::worst, Aim::sum} : std::vector{aim};
  for (const Aim one : aims) {
    if (auto shares = best_of(between, one)) add(*std::move(shares));
  }
  return tried;
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
