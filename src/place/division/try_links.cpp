// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/try_links.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "place/network.hpp"

namespace comity::place {
namespace {

constexpr Domain kNoNode = ~Domain{0};

// How a node lies to another: equal for nodes that mirroring the torus, and turning it where extents are equal, bring to one another.
std::vector<std::pair<std::uint32_t, std::uint32_t>> lie_of(const std::vector<std::uint32_t>& extents,
                                                            std::uint32_t from, std::uint32_t to) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ways;
  for (std::size_t i = extents.size(); i-- > 0; from /= extents[i], to /= extents[i]) {
    const std::uint32_t one = from % extents[i], other = to % extents[i];
    const std::uint32_t way = one > other ? one - other : other - one;
    ways.emplace_back(extents[i], std::min(way, extents[i] - way));
  }
  std::sort(ways.begin(), ways.end());
  return ways;
}

class LinksTrial {
 public:
  explicit LinksTrial(const LinksTask& task)
      : task_(task),
        ranks_(task.graph.ranks()),
        nodes_(task.rooms.size()),
        room_(task.rooms),
        node_of_(ranks_, kNoNode),
        far_(ranks_, std::vector<Weight>(nodes_, 0)),
        best_(task.known) {
    const TorusWays torus(task.extents);
    for (std::size_t one = 0; one < nodes_; ++one) {
      auto& row = ways_.emplace_back();
      for (std::size_t other = 0; other < nodes_; ++other)
        row.push_back(torus.links(task.numbers[one], task.numbers[other]));
    }
    choose_order();
    know_least_of_rest();
    know_symmetry();
  }

  TriedLinks run() {
    place(0);
    TriedLinks tried;
    if (!found_.empty()) tried.node_of = std::move(found_);
    tried.all = steps_ <= task_.steps;
    tried.at_least = tried.all ? best_ : least_of_rest_.front();
    return tried;
  }

 private:
  // Each next one exchanges most with those before it, and then most of all.
  void choose_order() {
    std::vector<Weight> inside(ranks_, 0);
    std::vector<bool> taken(ranks_, false);
    const auto ties = [&](Rank rank) { return std::pair(inside[rank], task_.graph.degree_weight(rank)); };
    while (order_.size() < ranks_) {
      auto next = static_cast<Rank>(ranks_);
      for (Rank rank = 0; rank < ranks_; ++rank) {
        if (!taken[rank] && (next == ranks_ || ties(rank) > ties(next))) next = rank;
      }
      taken[next] = true;
      order_.push_back(next);
      task_.graph.for_each_edge(next, [&](Rank other, Weight weight) { inside[other] += weight; });
    }
  }

  // How far away the nearest other ranks may be, the nearest first, wherever a rank is.
  [[nodiscard]] std::vector<Weight> nearest_ways() const {
    const std::uint32_t narrowest = *std::min_element(task_.widths.begin(), task_.widths.end());
    std::vector<Weight> nearest;
    for (std::size_t node = 0; node < nodes_; ++node) {
      std::vector<Weight> ways;
      for (std::size_t other = 0; other < nodes_; ++other) {
        const std::size_t seats = std::min<std::size_t>(task_.rooms[other] / narrowest, ranks_);
        ways.insert(ways.end(), seats, ways_[node][other]);
      }
      std::sort(ways.begin(), ways.end());
      if (!ways.empty()) ways.erase(ways.begin());  // its own
      if (nearest.empty()) nearest = ways;
      for (std::size_t i = 0; i < std::min(nearest.size(), ways.size()); ++i)
        nearest[i] = std::min(nearest[i], ways[i]);
    }
    return nearest;
  }

  // What ranks from each place of the order on exchange among themselves: the most of each to the nearest.
  void know_least_of_rest() {
    const std::vector<Weight> nearest = nearest_ways();
    std::vector<bool> is_there(ranks_, false);
    least_of_rest_.assign(ranks_ + 1, 0);
    for (std::size_t at = ranks_; at-- > 0;) {
      is_there[order_[at]] = true;
      Weight twice = 0;
      for (std::size_t i = at; i < ranks_; ++i) twice += least_of(order_[i], is_there, nearest);
      least_of_rest_[at] = (twice + 1) / 2;
    }
  }

  [[nodiscard]] Weight least_of(Rank rank, const std::vector<bool>& is_there,
                                const std::vector<Weight>& nearest) const {
    std::vector<Weight> with(ranks_, 0);
    task_.graph.for_each_edge(rank, [&](Rank other, Weight weight) { with[other] += is_there[other] ? weight : 0; });
    std::sort(with.begin(), with.end(), std::greater<>());
    Weight least = 0;
    for (std::size_t i = 0; i < std::min(with.size(), nearest.size()); ++i) least += with[i] * nearest[i];
    return least;
  }

  // Where all cells have nodes alike each may be the first, and nodes that lie to it alike are one.
  void know_symmetry() {
    std::size_t cells = 1;
    for (const std::uint32_t extent : task_.extents) cells *= extent;
    const bool all_alike =
        nodes_ == cells && std::adjacent_find(room_.begin(), room_.end(), std::not_equal_to<>()) == room_.end();
    if (!all_alike) return;
    std::set<std::vector<std::pair<std::uint32_t, std::uint32_t>>> known;
    for (std::size_t node = 0; node < nodes_; ++node) {
      is_one_of_its_lie_.push_back(known.insert(lie_of(task_.extents, task_.numbers[0], task_.numbers[node])).second);
    }
  }

  void place(std::size_t at) {
    if (++steps_ > task_.steps || least(at) >= best_) return;
    if (at == ranks_) {
      best_ = links_;
      found_ = node_of_;
      return;
    }
    const Rank rank = order_[at];
    std::vector<Domain> tried;
    for (Domain node = 0; node < nodes_; ++node) {
      if (room_[node] >= task_.widths[rank] && !is_twin_of_earlier(at, node)) tried.push_back(node);
    }
    // What costs least first, so that good ones are known early.
    std::stable_sort(tried.begin(), tried.end(),
                     [&](Domain one, Domain other) { return far_[rank][one] < far_[rank][other]; });
    for (const Domain node : tried) {
      change(rank, node, 1);
      place(at + 1);
      change(rank, node, -1);
    }
  }

  // As long as all are in node 0.
  [[nodiscard]] bool is_twin_of_earlier(std::size_t at, Domain node) const {
    if (is_one_of_its_lie_.empty() || outside_first_ > 0) return false;
    return at == 0 ? node != 0 : !is_one_of_its_lie_[node];
  }

  // What those that are there exchange, what each other one must with these, and what the others must among themselves.
  [[nodiscard]] Weight least(std::size_t at) const {
    Weight least = links_ + least_of_rest_[at];
    for (std::size_t i = at; i < ranks_ && least < best_; ++i) {
      const Rank rank = order_[i];
      Weight nearest = best_;
      for (std::size_t node = 0; node < nodes_; ++node) {
        if (room_[node] >= task_.widths[rank]) nearest = std::min(nearest, far_[rank][node]);
      }
      least += nearest;
    }
    return least;
  }

  // sign: 1 puts it there, -1 takes it away.
  void change(Rank rank, Domain node, int sign) {
    links_ += sign * far_[rank][node];
    room_[node] -= static_cast<std::uint32_t>(sign) * task_.widths[rank];
    node_of_[rank] = sign > 0 ? node : kNoNode;
    outside_first_ += node != 0 ? sign : 0;
    task_.graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (node_of_[other] != kNoNode) return;
      for (std::size_t to = 0; to < nodes_; ++to) far_[other][to] += sign * weight * ways_[node][to];
    });
  }

  const LinksTask& task_;
  std::size_t ranks_, nodes_;
  std::vector<Rank> order_;
  std::vector<std::vector<Weight>> ways_;  // of two nodes
  std::vector<Weight> least_of_rest_;      // from each place of the order on
  std::vector<bool> is_one_of_its_lie_;    // of each node; empty: nodes are not alike
  std::vector<std::uint32_t> room_;
  std::vector<Domain> node_of_;
  std::vector<std::vector<Weight>> far_;  // of each rank that is in no node, links to those that are, from each node
  Weight links_ = 0;
  int outside_first_ = 0;  // ranks
  Weight best_;
  std::vector<Domain> found_;
  std::size_t steps_ = 0;
};

// Links times what goes over them may be too many for a number, though exchanges are not.
bool links_fit(const LinksTask& task) {
  Weight longest = 1;
  for (const std::uint32_t extent : task.extents) longest += extent;
  return task.graph.total_weight() < kMostWeight / longest;
}

}  // namespace

TriedLinks fewest_links(const LinksTask& task) {
  const bool is_small = task.graph.ranks() <= kMostItemsTried && task.rooms.size() <= kMostBinsTried;
  if (!is_small || !links_fit(task)) return {};
  return LinksTrial(task).run();
}

}  // namespace comity::place
