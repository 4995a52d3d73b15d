// SPDX-License-Identifier: BSD-3-Clause
// Fills the ghosts of a rank's blocks: copies within the rank, one message to each neighbouring rank.
#pragma once

#include <mpi.h>

#include <vector>

#include "l0/block.hpp"
#include "l0/halo_plan.hpp"
#include "parallel/exchange.hpp"

namespace twomesh::l0 {

class Halo {
 public:
  Halo(MPI_Comm communicator, const Tiling& tiling, const Ownership& ownership, Edge x_edge, Edge y_edge);

  // Collective. Ghosts of `which` (the state or the stage) of all local blocks, which lie in tile order.
  void fill(std::vector<Block>& blocks, Fields Block::*which);

 private:
  struct Route {  // one neighbouring rank; faces in the order of the message
    int peer;
    std::vector<Face> faces;
  };

  Block& local(std::vector<Block>& blocks, int tile) const {
    return blocks[static_cast<std::size_t>(tile - first_tile_)];
  }

  MPI_Comm communicator_;
  int first_tile_ = 0;
  std::vector<Face> copies_, edges_;
  std::vector<Route> sends_, receives_;
  std::vector<parallel::Message> outgoing_, incoming_;
};

}  // namespace twomesh::l0
