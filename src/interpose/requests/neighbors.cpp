// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/neighbors.hpp"

#include <algorithm>
#include <memory>

#include "interpose/requests/members.hpp"
#include "real.hpp"

namespace comity::interpose {
namespace {

// Never without room: MPI takes a null array for something else.
std::vector<int> places_for(int count) { return std::vector<int>(static_cast<std::size_t>(std::max(count, 1))); }

// Two places a dimension: the one before me, the one behind me.
std::vector<int> around_in_grid(MPI_Comm grid) {
  int dimensions = 0;
  real::MPI_Cartdim_get(grid, &dimensions);
  std::vector<int> around;
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int before = MPI_PROC_NULL;
    int behind = MPI_PROC_NULL;
    real::MPI_Cart_shift(grid, dimension, 1, &before, &behind);
    around.insert(around.end(), {before, behind});
  }
  return around;
}

std::vector<int> around_in_graph(MPI_Comm graph, int rank) {
  int count = 0;
  real::MPI_Graph_neighbors_count(graph, rank, &count);
  std::vector<int> around = places_for(count);
  if (count > 0) real::MPI_Graph_neighbors(graph, rank, count, around.data());
  around.resize(static_cast<std::size_t>(count));
  return around;
}

Neighbors around_in_distributed_graph(MPI_Comm graph) {
  int in = 0;
  int out = 0;
  int weighted = 0;
  real::MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  Neighbors around{places_for(in), places_for(out)};
  std::vector<int> weights_in = places_for(in);
  std::vector<int> weights_out = places_for(out);
  real::MPI_Dist_graph_neighbors(graph, in, around.sources.data(), weights_in.data(), out, around.destinations.data(),
                                 weights_out.data());
  around.sources.resize(static_cast<std::size_t>(in));
  around.destinations.resize(static_cast<std::size_t>(out));
  return around;
}

Neighbors learn_neighbors(MPI_Comm communicator, int rank) {
  int kind = MPI_UNDEFINED;
  real::MPI_Topo_test(communicator, &kind);
  if (kind == MPI_DIST_GRAPH) return around_in_distributed_graph(communicator);
  std::vector<int> around;
  if (kind == MPI_GRAPH) around = around_in_graph(communicator, rank);
  if (kind == MPI_CART) around = around_in_grid(communicator);
  return {around, around};
}

}  // namespace

// Of threads that come first at once one's answer is kept, and they are the same.
const Neighbors& neighbors_of(MPI_Comm communicator, const Members& members) {
  const Neighbors* known = members.neighbors.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto learned = std::make_unique<const Neighbors>(learn_neighbors(communicator, members.rank));
  if (members.neighbors.compare_exchange_strong(known, learned.get(), std::memory_order_acq_rel))
    known = learned.release();
  return *known;
}

}  // namespace comity::interpose
