// SPDX-License-Identifier: BSD-3-Clause
// How much memory a job's nodes have.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include "parallel/communicator.hpp"

namespace twomesh::parallel {

// Collective. Bytes of the main memory of all nodes together; the same on every rank.
[[nodiscard]] inline double memory_of_nodes(MPI_Comm communicator) {
  const Communicator node = Communicator::node(communicator);
  double bytes = 0.0;
  if (rank_in(node.handle()) == 0) {
    bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  }
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, communicator);
  return bytes;
}

}  // namespace twomesh::parallel
