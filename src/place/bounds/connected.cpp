// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/connected.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace comity::place {
namespace {

// Ranks that hang together by the edges told so far.
class Pieces {
 public:
  explicit Pieces(std::size_t ranks) : of_(ranks) { std::iota(of_.begin(), of_.end(), Rank{0}); }

  // Whether that made one of two.
  bool join(Rank one, Rank other) {
    one = find(one);
    other = find(other);
    of_[std::max(one, other)] = std::min(one, other);
    return one != other;
  }

 private:
  Rank find(Rank rank) {
    while (of_[rank] != rank) rank = of_[rank] = of_[of_[rank]];
    return rank;
  }

  std::vector<Rank> of_;
};

std::vector<Edge> edges_of(const Graph& graph) {
  std::vector<Edge> edges;
  edges.reserve(graph.edges());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      if (rank < other) edges.push_back({rank, other, weight});
    });
  }
  return edges;
}

// Of a tree through each piece, of the heaviest edges: every division cuts as many of them as it makes parts, but for one a piece.
std::vector<Weight> spanning_weights(std::size_t ranks, std::vector<Edge> edges, bool weighted) {
  if (weighted) std::ranges::sort(edges, std::greater<>(), &Edge::weight);
  Pieces pieces(ranks);
  std::vector<Weight> weights;
  for (const Edge& edge : edges) {
    if (pieces.join(edge.a, edge.b)) weights.push_back(edge.weight);
  }
  return weights;
}

// Edges without which their ends would not hang together (Tarjan 1974): no edge leads from behind one to before it.
class Bridges {
 public:
  explicit Bridges(const Graph& graph) : graph_(graph), met_(graph.ranks(), 0), earliest_(graph.ranks(), 0) {}

  std::size_t count() {
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      if (met_[rank] == 0) go_from(rank);
    }
    return bridges_;
  }

 private:
  struct Step {
    Rank rank, from;         // the first one of a piece from itself
    std::size_t next = 0;    // of its edges
    bool came_back = false;  // along the edge that it came by; another one between the two counts
  };

  void go_from(Rank start) {
    enter(start, start);
    while (!way_.empty()) {
      Step& step = way_.back();
      if (step.next < graph_.edges_of(step.rank)) {
        look_at(step, graph_.neighbour(step.rank, step.next++));
        continue;
      }
      const auto [rank, from, next, came_back] = step;
      way_.pop_back();
      if (way_.empty()) continue;
      earliest_[from] = std::min(earliest_[from], earliest_[rank]);
      bridges_ += earliest_[rank] > met_[from] ? 1 : 0;
    }
  }

  void look_at(Step& step, Rank other) {
    if (met_[other] == 0) {
      enter(other, step.rank);
    } else if (other == step.from && !step.came_back) {
      step.came_back = true;
    } else {
      earliest_[step.rank] = std::min(earliest_[step.rank], met_[other]);
    }
  }

  void enter(Rank rank, Rank from) {
    met_[rank] = earliest_[rank] = ++all_met_;
    way_.push_back({rank, from});
  }

  const Graph& graph_;
  std::vector<std::size_t> met_, earliest_;  // of each rank; 0: not yet
  std::vector<Step> way_;
  std::size_t all_met_ = 0, bridges_ = 0;
};

// That have room for all, so that no division has fewer.
std::size_t fewest_parts(std::span<const std::size_t> most, std::size_t ranks) {
  std::vector<std::size_t> largest_first(most.begin(), most.end());
  std::ranges::sort(largest_first, std::greater<>());
  std::size_t parts = 0;
  for (std::size_t room = 0; parts < most.size() && room < ranks; ++parts) room += largest_first[parts];
  return std::min(parts, ranks);
}

Weight sum_of_lightest(std::vector<Weight> weights, std::size_t count) {
  const auto end = weights.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(weights.begin(), end, weights.end());
  return std::accumulate(weights.begin(), end, Weight{0});
}

}  // namespace

bool has_few_edges(const Graph& graph) { return 2 * graph.edges() <= 3 * graph.ranks(); }

Weight least_by_connection(const Graph& graph, std::span<const std::size_t> most) {
  const std::size_t parts = fewest_parts(most, graph.ranks());
  const std::vector<Edge> edges = edges_of(graph);
  std::vector<Weight> spanning = spanning_weights(graph.ranks(), edges, graph.weighted());
  const std::size_t pieces = graph.ranks() - spanning.size();
  if (parts <= pieces) return 0;
  const std::size_t cut = parts - pieces;
  const Weight of_trees = sum_of_lightest(std::move(spanning), cut);
  if (cut <= Bridges(graph).count()) return of_trees;
  std::vector<Weight> all;
  all.reserve(edges.size());
  for (const Edge& edge : edges) all.push_back(edge.weight);
  return std::max(of_trees, sum_of_lightest(std::move(all), cut + 1));
}

}  // namespace comity::place
