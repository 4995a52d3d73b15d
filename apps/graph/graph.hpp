// SPDX-License-Identifier: BSD-3-Clause
// Graph: vertices and their neighbours in one array, and a power-law graph as Graph500 makes them (R-MAT: each edge falls into a
// quarter of the matrix with unequal chances, again and again). The same for each seed, however many harts make it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace graph {

using Vertex = std::uint32_t;

struct Edge {
  Vertex from;
  Vertex to;
};

class Graph {
 public:
  // Both ways along each edge. From a fiber.
  Graph(Vertex vertices, const std::vector<Edge>& edges);

  [[nodiscard]] Vertex vertices() const { return static_cast<Vertex>(first_.size() - 1); }
  [[nodiscard]] std::int64_t arcs() const { return static_cast<std::int64_t>(neighbours_.size()); }
  [[nodiscard]] std::span<const Vertex> neighbours(Vertex vertex) const {
    return {neighbours_.data() + first_[vertex], neighbours_.data() + first_[vertex + 1]};
  }

 private:
  std::vector<std::int64_t> first_;  // of each vertex, in what follows
  std::vector<Vertex> neighbours_;
};

// 2^scale vertices, `per_vertex` edges for each. From a fiber.
[[nodiscard]] std::vector<Edge> power_law_edges(int scale, int per_vertex, std::uint64_t seed);

}  // namespace graph
