// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/cross.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace comity::place {
namespace {

constexpr Domain kNowhere = ~Domain{0};

class Crossover {
 public:
  Crossover(const Graph& graph, std::span<const std::uint32_t> rooms)
      : graph_(graph), rooms_(rooms), child_(graph.ranks(), kNowhere), filled_(rooms.size(), false) {}

  std::vector<Domain> run(const std::vector<Domain>& one, const std::vector<Domain>& other) {
    const std::array parents{&one, &other};
    for (std::size_t step = 0; step < rooms_.size(); ++step) take_from(*parents[step % parents.size()]);
    for (Rank rank = 0; rank < child_.size(); ++rank) {
      if (child_[rank] == kNowhere) child_[rank] = one[rank];
    }
    return std::move(child_);
  }

 private:
  void take_from(const std::vector<Domain>& parent) {
    const std::vector<Weight> inside = inside_of(parent);
    const auto best = static_cast<Domain>(std::max_element(inside.begin(), inside.end()) - inside.begin());
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < child_.size(); ++rank) {
      if (child_[rank] == kNowhere && parent[rank] == best) ranks.push_back(rank);
    }
    if (ranks.empty()) return;
    const Domain node = filled_[best] ? free_node_for(ranks.size()) : best;
    filled_[node] = true;
    for (const Rank rank : ranks) child_[rank] = node;
  }

  // Of each node of a parent: what its ranks that are nowhere yet exchange among themselves, twice.
  [[nodiscard]] std::vector<Weight> inside_of(const std::vector<Domain>& parent) const {
    std::vector<Weight> inside(rooms_.size(), -1);  // -1: has none of them
    for (Rank rank = 0; rank < child_.size(); ++rank) {
      if (child_[rank] != kNowhere) continue;
      Weight& own = inside[parent[rank]];
      own = std::max<Weight>(own, 0);
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
        if (child_[other] == kNowhere && parent[other] == parent[rank]) own += weight;
      });
    }
    return inside;
  }

  // The smallest that has room, else the largest.
  [[nodiscard]] Domain free_node_for(std::size_t ranks) const {
    const auto badness = [&](Domain node) {
      return rooms_[node] >= ranks ? std::int64_t{rooms_[node]} - kMuch : -std::int64_t{rooms_[node]};
    };
    Domain best = kNowhere;
    for (Domain node = 0; node < rooms_.size(); ++node) {
      if (!filled_[node] && (best == kNowhere || badness(node) < badness(best))) best = node;
    }
    return best;
  }

  static constexpr std::int64_t kMuch = std::int64_t{1} << 40U;  // more than any room, twice

  const Graph& graph_;
  std::span<const std::uint32_t> rooms_;
  std::vector<Domain> child_;
  std::vector<bool> filled_;  // of each node
};

}  // namespace

std::vector<Domain> crossed(const Graph& graph, std::span<const std::uint32_t> rooms, const std::vector<Domain>& one,
                            const std::vector<Domain>& other) {
  return Crossover(graph, rooms).run(one, other);
}

}  // namespace comity::place
