// SPDX-License-Identifier: BSD-3-Clause
// Graph: which ranks exchange how much, undirected. Not: where ranks run (site.hpp), nor reading it from a file (graph_file.hpp).
// Invariant: no edge joins a rank with itself, every weight is at least 1, and all weights together fit into a Weight twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace comity::place {

using Rank = std::uint32_t;
using Weight = std::int64_t;  // [bytes, or whatever the user weighs a step's exchange by]

inline constexpr std::size_t kMostRanks = std::size_t{1} << 24;
inline constexpr Weight kMostWeight = Weight{1} << 60;  // of all edges together

struct Edge {
  Rank a, b;
  Weight weight = 1;
};

// One edge for each two ranks that some join, in either direction, with all their weight. Throws as a Graph of these edges does.
[[nodiscard]] std::vector<Edge> together(std::size_t ranks, std::vector<Edge> edges);

class Graph {
 public:
  Graph() = default;
  // Edges that join the same two ranks stay apart: each is an exchange of its own. Throws Status::argument for a rank that joins
  // itself, Status::range for a rank or a weight that is out of range.
  Graph(std::size_t ranks, std::span<const Edge> edges);
  // Row by row, each edge in both of its rows; `weights` is empty where all are 1. For those who know their rows (grid.hpp).
  Graph(std::vector<std::uint64_t> first, std::vector<Rank> to, std::vector<Weight> weights)
      : first_(std::move(first)), to_(std::move(to)), weights_(std::move(weights)) {}

  [[nodiscard]] std::size_t ranks() const { return first_.empty() ? 0 : first_.size() - 1; }
  [[nodiscard]] std::size_t edges() const { return to_.size() / 2; }
  [[nodiscard]] Weight total_weight() const;
  [[nodiscard]] Weight degree_weight(Rank rank) const;
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }

  [[nodiscard]] std::size_t edges_of(Rank rank) const { return first_[rank + 1] - first_[rank]; }
  [[nodiscard]] std::span<const Rank> neighbours(Rank rank) const {
    return std::span(to_).subspan(first_[rank], edges_of(rank));
  }
  // In the same order; of a graph that is weighted.
  [[nodiscard]] std::span<const Weight> weights(Rank rank) const {
    return std::span(weights_).subspan(first_[rank], edges_of(rank));
  }
  [[nodiscard]] Rank neighbour(Rank rank, std::size_t edge) const { return to_[first_[rank] + edge]; }

  // Visits (neighbour, weight) of each edge of a rank.
  template <typename Visit>
  void for_each_edge(Rank rank, Visit&& visit) const {
    for (std::uint64_t i = first_[rank]; i < first_[rank + 1]; ++i) visit(to_[i], weights_.empty() ? 1 : weights_[i]);
  }

 private:
  std::vector<std::uint64_t> first_;  // ranks + 1
  std::vector<Rank> to_;
  std::vector<Weight> weights_;
};

}  // namespace comity::place
