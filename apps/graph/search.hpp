// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first search: from which neighbour each vertex is reached first. Level by level; the vertices of a level are looked at
// in parallel, in parts that become small towards its end, for some have very many neighbours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph.hpp"

namespace graph {

inline constexpr Vertex kNone = ~Vertex{0};

struct Tree {
  std::vector<Vertex> parent;  // of each vertex: the root's is itself; kNone: not reached
  int levels = 0;
  std::int64_t reached = 0;  // [vertices]
};

// From a fiber.
[[nodiscard]] Tree search(const Graph& graph, Vertex root);

// How far each vertex is from the root, by a plain queue; -1: not reached.
[[nodiscard]] std::vector<int> distances(const Graph& graph, Vertex root);

// "" where the tree is one of shortest ways in that graph; else what is wrong.
[[nodiscard]] std::string defect_of(const Tree& tree, const Graph& graph, Vertex root);

}  // namespace graph
