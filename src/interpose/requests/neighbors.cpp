// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/neighbors.hpp"

#include <algorithm>

#include "real.hpp"

namespace comity::interpose {
namespace {

// Two places a dimension: the one before me, the one behind me.
std::uint64_t beyond_the_edge(MPI_Comm grid, int dimensions) {
  std::uint64_t absent = 0;
  const auto places = std::min(2 * static_cast<std::size_t>(dimensions), Neighbors::kMostPlaces);
  for (std::size_t place = 0; place < places; place += 2) {
    int before = MPI_PROC_NULL;
    int behind = MPI_PROC_NULL;
    real::MPI_Cart_shift(grid, static_cast<int>(place / 2), 1, &before, &behind);
    if (before == MPI_PROC_NULL) absent |= std::uint64_t{1} << place;
    if (behind == MPI_PROC_NULL) absent |= std::uint64_t{2} << place;
  }
  return absent;
}

}  // namespace

Neighbors neighbors_of(MPI_Comm communicator, int rank) {
  int kind = MPI_UNDEFINED;
  int in = 0;
  int out = 0;
  int weighted = 0;
  std::uint64_t absent = 0;
  real::MPI_Topo_test(communicator, &kind);
  if (kind == MPI_DIST_GRAPH) {
    real::MPI_Dist_graph_neighbors_count(communicator, &in, &out, &weighted);
  } else if (kind == MPI_GRAPH) {
    real::MPI_Graph_neighbors_count(communicator, rank, &in);
    out = in;
  } else if (kind == MPI_CART) {
    real::MPI_Cartdim_get(communicator, &in);
    absent = beyond_the_edge(communicator, in);
    out = in = 2 * in;
  }
  return {static_cast<std::size_t>(in), static_cast<std::size_t>(out), absent};
}

}  // namespace comity::interpose
