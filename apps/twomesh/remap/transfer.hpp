// SPDX-License-Identifier: BSD-3-Clause
// A remap between two tilings that live on N and M ranks of one communicator: each source rank computes what
// its tiles give, sends one message to each rank that owns a target, and owners add contributions up in the
// order of the source tiles, so the result is bitwise the same for every N and M.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "mesh/ownership.hpp"
#include "parallel/exchange.hpp"
#include "remap/plan.hpp"

namespace twomesh::remap {

class Transfer {
 public:
  // Ranks in the ownerships are ranks of the communicator, which stays the caller's.
  Transfer(MPI_Comm communicator, const Tiling& source, const Ownership& source_owners, const Tiling& target,
           const Ownership& target_owners);

  // Collective. sources[field] and targets[field]: the local tiles of a field in tile order; a rank without
  // tiles on a side passes empty lists there. Targets are overwritten.
  void move(std::span<const std::vector<ConstTile>> sources, std::span<const std::vector<Tile>> targets);

 private:
  struct Route {  // one peer; patches in the plan's order
    int peer;
    std::vector<Patch> patches;
    std::size_t cells = 0;  // of one field
  };

  static void add(std::vector<Route>& routes, int peer, const Patch& patch);

  MPI_Comm communicator_;
  Plan plan_;
  int first_source_ = 0, first_target_ = 0;  // local tiles start here
  std::vector<Route> sends_, receives_;      // receives in the order of the source's parts
  std::vector<parallel::Message> outgoing_, incoming_;
};

}  // namespace twomesh::remap
