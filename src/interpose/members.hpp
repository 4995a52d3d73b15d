// SPDX-License-Identifier: BSD-3-Clause
// Members: who belongs to a communicator or a window, in ranks of MPI_COMM_WORLD, and by which number all of them know it.
// Learned once a communicator, from calls that concern nobody else, and forgotten before its handle can come back.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace comity::interpose {

struct Members {
  std::uint64_t id = 0;             // of the same ranks, the n-th communicator has the same number on all of them
  int rank = 0;                     // mine
  bool between_groups = false;      // an inter-communicator: peers are the other group's
  std::vector<std::int32_t> peers;  // whom a rank number of a call means, in MPI_COMM_WORLD

  [[nodiscard]] std::size_t size() const { return peers.size(); }
  // kNobody for MPI_PROC_NULL and what is no rank.
  [[nodiscard]] std::int32_t world_rank(int peer) const;
};

// Valid until the communicator or window is forgotten. Of the last ones that a thread asked about it remembers the answer.
[[nodiscard]] const Members& members_of_communicator(MPI_Comm communicator);
[[nodiscard]] const Members& members_of_window(MPI_Win window);

// Call before the MPI ends them, and members_of_communicator() when one was made, in the order in which the program makes
// them.
void forget_communicator(MPI_Comm communicator);
void forget_window(MPI_Win window);

}  // namespace comity::interpose
