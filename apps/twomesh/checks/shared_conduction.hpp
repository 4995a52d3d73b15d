// SPDX-License-Identifier: BSD-3-Clause
// L1 alone on all ranks of a communicator, its conserved fields set from a function of the place: what the
// checks of L1 start from.
#pragma once

#include <mpi.h>

#include <functional>
#include <numeric>

#include "l1/conduction.hpp"
#include "parallel/communicator.hpp"
#include "parallel/mpi_rows.hpp"

namespace twomesh::checks {

inline constexpr int kCheckStripRows = 4;

[[nodiscard]] inline std::vector<int> every_rank(MPI_Comm communicator) {
  std::vector<int> ranks(static_cast<std::size_t>(parallel::size_of(communicator)));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

struct SharedConduction {
  using Gas = std::function<std::array<double, l0::kFields>(double x, double y)>;  // the conserved fields

  SharedConduction(MPI_Comm communicator, const Grid& grid, const l1::Material& material,
                   const l1::SolverOptions& options, const Gas& gas)
      : tiling(strip_tiling(grid, kCheckStripRows)),
        owners(tiling.count(), every_rank(communicator)),
        first(owners.first_tile(parallel::rank_in(communicator))),
        last(owners.first_tile(parallel::rank_in(communicator) + 1)),
        rows(communicator, owners),
        conduction(tiling, first, last, material, options) {
    for (int j = 0; j < conduction.gain().rows(); ++j) {
      for (int i = 0; i < grid.nx; ++i) {
        const auto values = gas(grid.x_centre(i), y_of(j));
        for (int field = 0; field < l0::kFields; ++field) {
          conduction.field(field).row(j)[i] = values[static_cast<std::size_t>(field)];
        }
      }
    }
  }

  // Height of the centre of a local row.
  [[nodiscard]] double y_of(int row) const {
    return tiling.grid.y_centre(tiling.tiles[static_cast<std::size_t>(first)].y0 + row);
  }

  Tiling tiling;
  Ownership owners;
  int first, last;  // local strips
  parallel::MpiRows rows;
  l1::Conduction conduction;
};

}  // namespace twomesh::checks
