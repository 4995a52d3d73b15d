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
    first.reserve(ranks.size() + 1);
    std::vector<Rank> to(edges);
    std::vector<Weight> weights(graph_.weighted() ? edges : 0);
    std::size_t kept = 0;
    for (const Rank rank : ranks) {
      if (weights.empty()) {
        graph_.for_each_edge(rank, [&](Rank other, Weight) { kept += keep(other, to[kept]); });
      } else {
        graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
          weights[kept] = weight;
          kept += keep(other, to[kept]);
        });
      }
      first.push_back(kept);
    }
    to.resize(kept);
    weights.resize(weights.empty() ? 0 : kept);
    for (const Rank rank : ranks) local_[rank] = kOutside;
    return {std::move(first), std::move(to), std::move(weights)};
  }

 private:
  // How many edges are kept; one that is not is written over by the next. Without a branch, for nobody can guess which stay inside.
  std::size_t keep(Rank other, Rank& end) const {
    end = local_[other];
    return end == kOutside ? 0 : 1;
  }

  static constexpr Rank kOutside = std::numeric_limits<Rank>::max();

  const Graph& graph_;
  std::vector<Rank> local_;
};

}  // namespace comity::place
