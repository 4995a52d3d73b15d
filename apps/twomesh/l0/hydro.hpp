// SPDX-License-Identifier: BSD-3-Clause
// L0: the compressible Euler equations on a block-structured mesh, one thread a rank, every rank with its blocks.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "l0/block.hpp"
#include "l0/halo.hpp"
#include "l0/kernel.hpp"
#include "l0/problems.hpp"
#include "parallel/ordered.hpp"

namespace twomesh::l0 {

struct HydroOptions {
  Grid grid;
  int block_nx = 16, block_ny = 16;  // [cells]
  Edge x_edge = Edge::periodic, y_edge = Edge::periodic;
  double courant = 0.4;
};

class Hydro {
 public:
  // Collective over the communicator, which stays the caller's; all its ranks own blocks. Gas at rest.
  Hydro(MPI_Comm communicator, const HydroOptions& options);
  Hydro(MPI_Comm communicator, const HydroOptions& options, const Initial& initial);

  // Collective. The longest stable step by the Courant number.
  [[nodiscard]] double stable_step() const;
  // Collective. One SSP-RK2 step.
  void step(double dt);
  // Collective. Totals of the conserved fields over the domain, summed in block order.
  [[nodiscard]] std::array<double, kFields> totals();
  // Collective. Checksum of the four conserved fields.
  [[nodiscard]] std::uint64_t checksum();

  [[nodiscard]] const HydroOptions& options() const { return options_; }
  [[nodiscard]] const Tiling& tiling() const { return tiling_; }
  [[nodiscard]] const Ownership& ownership() const { return ownership_; }
  [[nodiscard]] std::vector<Block>& blocks() { return blocks_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

 private:
  MPI_Comm communicator_;
  HydroOptions options_;
  Tiling tiling_;
  Ownership ownership_;
  Halo halo_;
  parallel::TileOrder order_;
  std::vector<Block> blocks_;  // local, in tile order
  KernelScratch scratch_;
};

}  // namespace twomesh::l0
