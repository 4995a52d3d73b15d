// SPDX-License-Identifier: BSD-3-Clause
// L1 joined to L0: the wide ranks' conduction, and the remap of fields from L0's blocks to its strips and
// back. Not: who runs when (Layout) nor who decides it (Coupler).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "l0/hydro.hpp"
#include "l1/conduction.hpp"
#include "parallel/communicator.hpp"
#include "parallel/mpi_rows.hpp"
#include "remap/transfer.hpp"

namespace twomesh::coupling {

// What comes back from L1: the energy gained, or with it density and momentum as L1 saw them (they did not
// change there; their totals prove that the remap conserves).
enum class Return { energy, all };

struct HeatOptions {
  Grid grid;
  int strip_rows = 4;  // [rows]
  l1::Material material;
  l1::SolverOptions solver;
  Return back = Return::all;
};

class Heat {
 public:
  // Collective over the communicator. `wide_ranks`: the ranks that own L1's mesh, ascending.
  Heat(MPI_Comm communicator, const HeatOptions& options, const l0::Hydro& hydro, const std::vector<int>& wide_ranks);

  // Collective over all ranks: the four conserved fields go over to the wide ranks.
  void gather(const l0::Hydro& hydro);
  // Collective over the wide ranks only: one step of conduction.
  void solve(double dt, int team);
  // Collective over all ranks: what conduction changed comes back and is added to L0's energy.
  void scatter(l0::Hydro& hydro);

  // A conserved field as the last gather left it on this rank's strips; none where the rank is not wide.
  [[nodiscard]] std::vector<remap::ConstTile> held(int field) const;
  // Density or a momentum as it came back to this rank's blocks in the last scatter, with Return::all.
  [[nodiscard]] std::vector<remap::ConstTile> returned(const l0::Hydro& hydro, int field) const;

  // Reports, collective over all ranks, the same on every rank.
  struct Report {
    long iterations = 0;  // of all solves
    int steps_not_converged = 0;
    double true_residual = 0.0;  // of the last solve
    int team = 0;                // [threads] that ran in the narrowest solve of the widest rank
    std::uint64_t checksum = 0;  // of residual histories and iterates
  };
  [[nodiscard]] Report report();
  // Collective. Of the last step (round_trip); 0 where only the energy comes back.
  [[nodiscard]] double round_trip_error(const l0::Hydro& hydro) const;

 private:
  struct Wide {  // what only wide ranks have
    Wide(parallel::Communicator own, const Tiling& tiling, const Ownership& owners, const HeatOptions& options);
    parallel::Communicator communicator;
    parallel::MpiRows rows;
    l1::Conduction conduction;
    std::vector<Rect> tiles;  // local strips
  };

  [[nodiscard]] std::vector<remap::Tile> tiles_of(l1::RowField& field) const;

  MPI_Comm communicator_;
  HeatOptions options_;
  Tiling tiling_;
  Ownership owners_;
  remap::Transfer there_, back_;
  std::unique_ptr<Wide> wide_;
  std::vector<std::vector<std::vector<double>>> returned_;  // [field][block]: gain first, then density and momentum
  Report so_far_;
};

}  // namespace twomesh::coupling
