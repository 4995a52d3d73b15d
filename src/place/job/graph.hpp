// SPDX-License-Identifier: BSD-3-Clause
// Graph: which ranks exchange how much, undirected. Not: where ranks run (site.hpp), nor reading it from a file (graph_file.hpp).
// Invariant: no edge joins a rank with itself, every weight is at least 1, and all weights together fit into a Weight twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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

// What the ranks of one kind have in common: how far away their neighbours are (added modulo 2^32), and their weights, none where all are 1.
struct Row {
  std::span<const Rank> away;
  std::span<const Weight> weights;
};

// Who lends threads: `run` does work(0) to work(parts - 1), side by side, and comes back when all are done; what one throws it throws.
struct Crew {
  std::size_t size = 1;
  std::function<void(std::size_t parts, const std::function<void(std::size_t part)>& work)> run = {};
};

class Graph {
 public:
  Graph() = default;
  // Edges that join the same two ranks stay apart: each is an exchange of its own. Throws Status::argument for a rank that joins
  // itself, Status::range for a rank or a weight that is out of range.
  Graph(std::size_t ranks, std::span<const Edge> edges);
  // Row by row, each edge in both of its rows; `weights` is empty where all are 1. For those who know their rows (grid.hpp).
  Graph(std::vector<std::uint64_t> first, std::vector<Rank> to, std::vector<Weight> weights)
      : first_(std::move(first)), to_(std::move(to)), weights_(std::move(weights)), ends_(to_.size()) {}
  // Few kinds of rows, of which each rank has one: `away` is what is added to a rank (modulo 2^32) for its neighbours. A million ranks of
  // a grid are a megabyte so.
  static Graph of_kinds(std::vector<std::uint8_t> kinds, std::vector<std::uint64_t> first, std::vector<Rank> away,
                        std::vector<Weight> weights);

  [[nodiscard]] std::size_t ranks() const {
    if (!kinds_.empty()) return kinds_.size();
    return first_.empty() ? 0 : first_.size() - 1;
  }
  [[nodiscard]] std::size_t edges() const { return ends_ / 2; }
  [[nodiscard]] Weight total_weight() const;
  // Of an edge; there is one.
  [[nodiscard]] double mean_weight() const {
    return static_cast<double>(total_weight()) / static_cast<double>(edges());
  }
  [[nodiscard]] Weight degree_weight(Rank rank) const;
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }

  // Ranks of one kind have edges alike, to neighbours equally far away. 0: each rank is one of its own.
  [[nodiscard]] std::size_t kinds() const { return kinds_.empty() ? 0 : first_.size() - 1; }
  [[nodiscard]] std::size_t kind_of(Rank rank) const { return kinds_[rank]; }

  [[nodiscard]] std::size_t edges_of(Rank rank) const { return first_[row_of(rank) + 1] - first_[row_of(rank)]; }
  [[nodiscard]] Rank neighbour(Rank rank, std::size_t edge) const {
    return origin_of(rank) + to_[first_[row_of(rank)] + edge];
  }

  // Visits (neighbour, weight) of each edge of a rank.
  template <typename Visit>
  void for_each_edge(Rank rank, Visit&& visit) const {
    const std::size_t row = row_of(rank);
    const Rank origin = origin_of(rank);
    const std::uint64_t end = first_[row + 1];
    if (weights_.empty()) {
      for (std::uint64_t i = first_[row]; i < end; ++i) visit(origin + to_[i], Weight{1});
    } else {
      for (std::uint64_t i = first_[row]; i < end; ++i) visit(origin + to_[i], weights_[i]);
    }
  }

  // Where there are kinds: calls look(from, ranks, row) for ranks in turn that are of one, at most so many at once.
  template <typename Look>
  void for_each_run(Rank first, Rank end, std::size_t most, Look&& look) const {
    for (Rank from = first; from < end;) {
      const auto last = static_cast<Rank>(std::min<std::size_t>(end, from + most));
      Rank next = from + 1;
      while (next < last && kinds_[next] == kinds_[from]) ++next;
      look(from, std::size_t{next} - from, row_of_kind(kinds_[from]));
      from = next;
    }
  }

  // What a look at all rows takes long for is done by the crew from now on. Figures are the same, whoever looks.
  void lend(Crew crew) { crew_ = std::move(crew); }
  // In how many parts rows are looked at: one where that is quick, or nobody else is there.
  [[nodiscard]] std::size_t parts() const { return ends_ < kFewestInParts ? 1 : crew_.size; }
  // How many work at what takes longer for each rank than a look at its row.
  [[nodiscard]] std::size_t helpers() const { return ranks() < kFewestHelped && parts() == 1 ? 1 : crew_.size; }
  // Does work(0) to work(count - 1), side by side where somebody helps.
  void side_by_side(std::size_t count, const std::function<void(std::size_t)>& work) const {
    if (helpers() > 1 && crew_.run) return crew_.run(count, work);
    for (std::size_t i = 0; i < count; ++i) work(i);
  }
  // Calls look(part, first, end) for runs of rows that are all together.
  template <typename Look>
  void in_parts(Look&& look) const {
    const std::size_t all = parts();
    side_by_side(all, [&](std::size_t part) { look(part, row_of_part(part, all), row_of_part(part + 1, all)); });
  }

 private:
  static constexpr std::size_t kFewestInParts = 1'000'000;  // [ends of edges]; below, threads hardly pay
  static constexpr std::size_t kFewestHelped = 20'000;      // [ranks]

  // Parts have about as many edges each.
  [[nodiscard]] Rank row_of_part(std::size_t part, std::size_t parts) const {
    if (part == 0) return 0;
    if (part == parts) return static_cast<Rank>(ranks());
    if (!kinds_.empty()) return static_cast<Rank>(ranks() / parts * part);
    const std::uint64_t edge = to_.size() / parts * part;
    return static_cast<Rank>(std::lower_bound(first_.begin(), first_.end() - 1, edge) - first_.begin());
  }

  [[nodiscard]] Row row_of_kind(std::size_t kind) const {
    const std::size_t from = first_[kind], edges = first_[kind + 1] - from;
    const std::span<const Weight> weights(weights_);
    return {std::span<const Rank>(to_).subspan(from, edges), weights.empty() ? weights : weights.subspan(from, edges)};
  }

  [[nodiscard]] std::size_t row_of(Rank rank) const { return kinds_.empty() ? rank : kinds_[rank]; }
  [[nodiscard]] Rank origin_of(Rank rank) const { return kinds_.empty() ? 0 : rank; }

  std::vector<std::uint8_t> kinds_;   // the row of each rank; empty: each has its own
  std::vector<std::uint64_t> first_;  // rows + 1
  std::vector<Rank> to_;              // neighbours, or how far they are away where there are kinds
  std::vector<Weight> weights_;
  std::size_t ends_ = 0;  // of edges, of all ranks
  Crew crew_;
};

}  // namespace comity::place
