// SPDX-License-Identifier: BSD-3-Clause
// Neighbors: whom a rank gives to and gets from along its communicator's topology, in the order of the parts of a collective call
// among them. Asked of the MPI at the first such call of a communicator, and kept with its members.
#pragma once

#include <mpi.h>

#include <vector>

namespace comity::interpose {

struct Members;

// Ranks of the communicator. MPI_PROC_NULL: beyond the edge of a grid there is nobody.
struct Neighbors {
  std::vector<int> sources;
  std::vector<int> destinations;
};

// members: of the communicator, as whose they are kept.
[[nodiscard]] const Neighbors& neighbors_of(MPI_Comm communicator, const Members& members);

}  // namespace comity::interpose
