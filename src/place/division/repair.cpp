// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/repair.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace comity::place {
namespace {

std::vector<std::size_t> counts_of(const std::vector<Domain>& part, std::size_t parts) {
  std::vector<std::size_t> counts(parts, 0);
  for (const Domain one : part) ++counts[one];
  return counts;
}

// Numbers of what is largest first; of equals the first one first.
std::vector<Domain> by_size(std::span<const std::size_t> sizes) {
  std::vector<Domain> order(sizes.size());
  std::iota(order.begin(), order.end(), Domain{0});
  std::stable_sort(order.begin(), order.end(), [&](Domain a, Domain b) { return sizes[a] > sizes[b]; });
  return order;
}

class Repair {
 public:
  Repair(const Graph& graph, std::vector<Domain> part, std::span<const std::size_t> sizes)
      : graph_(graph), part_(std::move(part)), members_(sizes.size()), lacks_(sizes.size()), tie_(sizes.size(), 0) {
    for (Rank rank = 0; rank < part_.size(); ++rank) members_[part_[rank]].push_back(rank);
    for (std::size_t node = 0; node < sizes.size(); ++node) {
      lacks_[node] = static_cast<std::int64_t>(sizes[node]) - static_cast<std::int64_t>(members_[node].size());
    }
  }

  std::vector<Domain> run() {
    for (Domain node = 0; node < lacks_.size(); ++node) {
      while (lacks_[node] < 0) move(best_from(node));
    }
    return std::move(part_);
  }

 private:
  struct Move {
    Rank rank = 0;
    Domain to = 0;
    Weight loss = std::numeric_limits<Weight>::max();
  };

  // There is one, for what one part has too much others lack.
  Move best_from(Domain node) {
    const auto any = static_cast<Domain>(
        std::find_if(lacks_.begin(), lacks_.end(), [](std::int64_t lacks) { return lacks > 0; }) - lacks_.begin());
    Move best;
    for (const Rank rank : members_[node]) {
      touched_.assign(1, any);
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
        tie_[part_[other]] += weight;
        touched_.push_back(part_[other]);
      });
      for (const Domain to : touched_) {
        if (lacks_[to] > 0 && tie_[node] - tie_[to] < best.loss) best = {rank, to, tie_[node] - tie_[to]};
      }
      for (const Domain to : touched_) tie_[to] = 0;
    }
    return best;
  }

  void move(const Move& move) {
    const Domain from = part_[move.rank];
    std::erase(members_[from], move.rank);
    members_[move.to].push_back(move.rank);
    part_[move.rank] = move.to;
    ++lacks_[from];
    --lacks_[move.to];
  }

  const Graph& graph_;
  std::vector<Domain> part_;
  std::vector<std::vector<Rank>> members_;
  std::vector<std::int64_t> lacks_;  // below 0: has too many
  std::vector<Weight> tie_;          // of the rank looked at, to each part; 0 in between
  std::vector<Domain> touched_;
};

}  // namespace

std::vector<Domain> repaired(const Graph& graph, std::vector<Domain> part, std::span<const std::size_t> sizes) {
  const std::vector<Domain> parts = by_size(counts_of(part, sizes.size())), nodes = by_size(sizes);
  std::vector<Domain> node_of(sizes.size());
  for (std::size_t i = 0; i < parts.size(); ++i) node_of[parts[i]] = nodes[i];
  for (Domain& one : part) one = node_of[one];
  return Repair(graph, std::move(part), sizes).run();
}

}  // namespace comity::place
