// SPDX-License-Identifier: BSD-3-Clause
// Subgraph: what some ranks of a graph exchange among themselves, with numbers of its own: rank i of it is the i-th of
// those named.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "place/job/graph.hpp"

namespace comity::place {

// Keeps its marks between calls, so that many small subgraphs of a large graph cost what they hold and no more.
class Subgraphs {
 public:
  explicit Subgraphs(const Graph& graph) : graph_(graph), local_(graph.ranks(), kOutside) {}

  [[nodiscard]] Graph of(std::span<const Rank> ranks) {
    std::size_t edges = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      local_[ranks[i]] = static_cast<Rank>(i);
      edges += graph_.edges_of(ranks[i]);
    }
    std::vector<std::uint64_t> first{0};
    std::vector<Rank> to;
    std::vector<Weight> weights;
    first.reserve(ranks.size() + 1);
    to.reserve(edges);
    if (graph_.weighted()) weights.reserve(edges);
    for (const Rank rank : ranks) {
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
        if (local_[other] == kOutside) return;
        to.push_back(local_[other]);
        if (graph_.weighted()) weights.push_back(weight);
      });
      first.push_back(to.size());
    }
    for (const Rank rank : ranks) local_[rank] = kOutside;
    return {std::move(first), std::move(to), std::move(weights)};
  }

 private:
  static constexpr Rank kOutside = std::numeric_limits<Rank>::max();

  const Graph& graph_;
  std::vector<Rank> local_;
};

}  // namespace comity::place
