// SPDX-License-Identifier: BSD-3-Clause
// C++ contexts on MPI communicators.
#pragma once

#include <comity/comity_mpi.h>

#include <comity/comity.hpp>
#include <comity/place.hpp>
#include <vector>

namespace comity {

// Collective over the communicator; throws Failure.
[[nodiscard]] inline Context make_context(MPI_Comm communicator) {
  comity_context* context = nullptr;
  check(comity_context_create(communicator, &context));
  return Context(context);
}

// Collective over the communicator; MPI_COMM_NULL where no single object encloses my binding. The caller frees it.
[[nodiscard]] inline MPI_Comm shared_communicator(const Context& context, MPI_Comm communicator, Resource type) {
  MPI_Comm shared = MPI_COMM_NULL;
  check(comity_context_communicator(context.handle(), communicator, static_cast<comity_type>(type), &shared));
  return shared;
}

// Ranks that share an object: a group of `all`, of which they make their communicator by MPI_Comm_create_group.
struct Sharers {
  MPI_Comm all = MPI_COMM_NULL;  // a duplicate of the communicator
  MPI_Group group = MPI_GROUP_NULL;
};

// Collective over the communicator; MPI_GROUP_EMPTY where no single object encloses my binding. The caller frees both.
[[nodiscard]] inline Sharers sharers(const Context& context, MPI_Comm communicator, Resource type) {
  Sharers found;
  check(
      comity_context_sharers(context.handle(), communicator, static_cast<comity_type>(type), &found.all, &found.group));
  return found;
}

// Collective over the communicator; MPI_COMM_NULL for processes that a smaller grid leaves out. The caller frees it.
[[nodiscard]] inline MPI_Comm reordered_grid(MPI_Comm communicator, const std::vector<std::int32_t>& extents,
                                             const GridPattern& pattern = {}) {
  MPI_Comm cart = MPI_COMM_NULL;
  check(comity_place_cart_create(communicator, static_cast<std::int32_t>(extents.size()), extents.data(),
                                 detail::pointer_to(pattern.periodic, extents.size()),
                                 detail::pointer_to(pattern.halo, extents.size()),
                                 static_cast<comity_place_objective>(pattern.objective), &cart));
  return cart;
}

// Edges of a graph that this rank names: the i-th goes from[i] to to[i].
struct GraphEdges {
  std::vector<std::int32_t> from, to;
  bool weighted = false;  // the same on all ranks; without, each edge weighs 1
  std::vector<std::int64_t> weights = {};
  Objective objective = Objective::worst;  // the same on all ranks
};

// Collective over the communicator. The caller frees it.
[[nodiscard]] inline MPI_Comm reordered_graph(MPI_Comm communicator, const GraphEdges& edges) {
  static constexpr std::int64_t kNone = 0;
  const std::int64_t* const weights = edges.weights.empty() ? &kNone : edges.weights.data();
  if (edges.to.size() != edges.from.size() || (edges.weighted && edges.weights.size() != edges.from.size())) {
    throw std::invalid_argument("comity: each edge has two ends and, if there are weights, one of these");
  }
  MPI_Comm graph = MPI_COMM_NULL;
  check(comity_place_graph_create(communicator, static_cast<std::int64_t>(edges.from.size()), edges.from.data(),
                                  edges.to.data(), edges.weighted ? weights : nullptr,
                                  static_cast<comity_place_objective>(edges.objective), &graph));
  return graph;
}

}  // namespace comity
