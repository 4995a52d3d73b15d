// SPDX-License-Identifier: BSD-3-Clause
// Reductions in tile order: every rank gathers all tiles' values and adds them up in the tiling's order, so the result
// is bitwise the same on every rank and for every number of ranks. Not MPI_SUM, whose order follows the ranks.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/ownership.hpp"

namespace twomesh::parallel {

class TileOrder {
 public:
  // Rank p of the communicator holds part p of the ownership. The communicator stays the caller's.
  TileOrder(MPI_Comm communicator, const Ownership& ownership);

  // Collective. `local`: `width` values for each local tile. Result: the same for every tile, in tile order;
  // valid until the next call.
  [[nodiscard]] std::span<const double> gather(std::span<const double> local, int width);
  // Collective. Sums over all tiles: `local` holds totals.size() values for each local tile.
  void sum(std::span<const double> local, std::span<double> totals);
  // Collective. Checksum of the tiles' checksums in tile order.
  [[nodiscard]] std::uint64_t checksum(std::span<const std::uint64_t> local);

 private:
  MPI_Comm communicator_;
  std::vector<int> tiles_;                   // how many each rank holds
  std::vector<int> counts_, displacements_;  // [values], for the width of the latest gather
  std::vector<double> gathered_;
};

}  // namespace twomesh::parallel
