// SPDX-License-Identifier: BSD-3-Clause
#include "place/job/graph.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace comity::place {
namespace {

void check(std::size_t ranks, const Edge& edge, Weight total) {
  if (edge.a < ranks && edge.b < ranks && edge.a != edge.b && edge.weight >= 1 && edge.weight <= kMostWeight - total) {
    return;
  }
  const std::string name = "edge " + std::to_string(edge.a) + ' ' + std::to_string(edge.b);
  if (edge.a >= ranks || edge.b >= ranks) {
    throw Error(Status::range, name + ": the ranks are 0 to " + std::to_string(ranks - 1) + "; number them from 0");
  }
  if (edge.a == edge.b) throw Error(Status::argument, name + ": joins a rank with itself; leave it out");
  if (edge.weight < 1) throw Error(Status::range, name + ": its weight is below 1; leave it out, or scale all weights");
  throw Error(Status::range, name + ": all weights together exceed 2^60; give them in a larger unit");
}

}  // namespace

std::vector<Edge> together(std::size_t ranks, std::vector<Edge> edges) {
  Weight total = 0;
  for (Edge& edge : edges) {
    check(ranks, edge, total);
    total += edge.weight;
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  }
  const auto before = [](const Edge& one, const Edge& other) {
    return std::pair(one.a, one.b) < std::pair(other.a, other.b);
  };
  if (!std::is_sorted(edges.begin(), edges.end(), before)) std::sort(edges.begin(), edges.end(), before);
  std::size_t kept = 0;
  for (const Edge& edge : edges) {
    if (kept > 0 && edges[kept - 1].a == edge.a && edges[kept - 1].b == edge.b) {
      edges[kept - 1].weight += edge.weight;
    } else {
      edges[kept++] = edge;
    }
  }
  edges.resize(kept);
  return edges;
}

Graph::Graph(std::size_t ranks, std::span<const Edge> edges) {
  if (ranks == 0) throw Error(Status::range, "a graph without ranks has nothing to place; name one rank at least");
  Weight total = 0;
  bool all_one = true;
  first_.assign(ranks + 1, 0);
  for (const Edge& edge : edges) {
    check(ranks, edge, total);
    total += edge.weight;
    all_one = all_one && edge.weight == 1;
    ++first_[edge.a + 1];
    ++first_[edge.b + 1];
  }
  for (std::size_t i = 0; i < ranks; ++i) first_[i + 1] += first_[i];
  ends_ = 2 * edges.size();
  to_.resize(ends_);
  if (!all_one) weights_.resize(to_.size());
  std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
  const auto put = [&](Rank from, Rank to, Weight weight) {
    const std::uint64_t at = next[from]++;
    to_[at] = to;
    if (!all_one) weights_[at] = weight;
  };
  for (const Edge& edge : edges) {
    put(edge.a, edge.b, edge.weight);
    put(edge.b, edge.a, edge.weight);
  }
}

Graph Graph::of_kinds(std::vector<std::uint8_t> kinds, std::vector<std::uint64_t> first, std::vector<Rank> away,
                      std::vector<Weight> weights) {
  Graph graph(std::move(first), std::move(away), std::move(weights));
  graph.kinds_ = std::move(kinds);
  graph.ends_ = 0;
  for (const std::uint8_t kind : graph.kinds_) graph.ends_ += graph.first_[kind + 1U] - graph.first_[kind];
  return graph;
}

Weight Graph::total_weight() const {
  if (weights_.empty()) return static_cast<Weight>(edges());
  Weight total = 0;
  if (kinds_.empty()) {
    for (const Weight weight : weights_) total += weight;
  } else {
    for (Rank rank = 0; rank < ranks(); ++rank) total += degree_weight(rank);
  }
  return total / 2;
}

Weight Graph::degree_weight(Rank rank) const {
  Weight total = 0;
  for_each_edge(rank, [&](Rank, Weight weight) { total += weight; });
  return total;
}

}  // namespace comity::place
