// SPDX-License-Identifier: BSD-3-Clause
// Graphs: what the arguments of MPI's graph functions say, as edges and as the neighbours of one rank.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace comity::reorder {

// Edges as comity_place_graph_create takes them: a rank's exchange with itself, and one of no weight, put nobody anywhere.
struct NamedEdges {
  std::vector<std::int32_t> from, to;
  std::vector<std::int64_t> weights;

  void add(int source, int destination, int weight) {
    if (source == destination || weight == 0) return;
    from.push_back(source);
    to.push_back(destination);
    weights.push_back(weight);
  }
};

// The weight of entry i of an array that MPI may have another word for.
[[nodiscard]] int weight_at(const int* weights, int i);

// What one rank says in MPI_Dist_graph_create_adjacent.
struct Neighbours {
  std::vector<int> sources, source_weights, destinations, destination_weights;

  [[nodiscard]] static Neighbours of(int indegree, const int* sources, const int* source_weights, int outdegree,
                                     const int* destinations, const int* destination_weights);
};

// Collective over a reordered communicator: each rank brings what it said under its old rank, and gets what the rank said
// whose place it has. Returns MPI's code.
[[nodiscard]] int exchange(MPI_Comm reordered, int old_rank, const Neighbours& mine, Neighbours& of_my_place);

}  // namespace comity::reorder
