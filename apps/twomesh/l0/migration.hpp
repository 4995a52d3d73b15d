// SPDX-License-Identifier: BSD-3-Clause
// Moves whole blocks from their owners to other ranks, by the bits: one message from rank to rank. Not: a remap, which
// computes; nor the ghosts, which each step fills anew (Halo).
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "l0/block.hpp"
#include "mesh/ownership.hpp"
#include "parallel/exchange.hpp"

namespace twomesh::l0 {

class Migration {
 public:
  // Two ownerships of the same tiles by ranks of the communicator, which stays the caller's.
  Migration(MPI_Comm communicator, const Ownership& from, const Ownership& to);

  // Collective. The state of all blocks. Both lists are the rank's blocks in tile order, empty where it owns none on
  // that side.
  void move(std::span<const Block> from, std::span<Block> to);

 private:
  struct Route {  // to or from one rank: consecutive blocks, counted among the local ones
    int peer;
    std::size_t first, count;
  };

  static std::vector<Route> routes_of(int rank, const Ownership& mine, const Ownership& theirs);

  MPI_Comm communicator_;
  std::vector<Route> sends_, receives_;
  std::vector<parallel::Message> outgoing_, incoming_;
};

}  // namespace twomesh::l0
