// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/traffic.hpp"

#include "real.hpp"

namespace comity::interpose {

Neighbors neighbors_of(MPI_Comm communicator, int rank) {
  int kind = MPI_UNDEFINED;
  int in = 0;
  int out = 0;
  int weighted = 0;
  real::MPI_Topo_test(communicator, &kind);
  if (kind == MPI_DIST_GRAPH) {
    real::MPI_Dist_graph_neighbors_count(communicator, &in, &out, &weighted);
  } else if (kind == MPI_GRAPH) {
    real::MPI_Graph_neighbors_count(communicator, rank, &in);
    out = in;
  } else if (kind == MPI_CART) {
    real::MPI_Cartdim_get(communicator, &in);
    out = in = 2 * in;
  }
  return {static_cast<std::size_t>(in), static_cast<std::size_t>(out)};
}

}  // namespace comity::interpose
