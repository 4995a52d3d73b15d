// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "checks/check.hpp"
#include "checks/rough.hpp"
#include "checks/shared_conduction.hpp"
#include "mesh/counted.hpp"
#include "remap/transfer.hpp"

namespace twomesh::checks {
namespace {

// Fields on the local tiles of one side.
struct Side {
  Side(MPI_Comm communicator, Tiling tiles, const std::vector<int>& ranks, int field_count)
      : tiling(std::move(tiles)), owners(tiling.count(), ranks), values(static_cast<std::size_t>(field_count)) {
    const int part = owners.part_on(parallel::rank_in(communicator));
    for (int tile = part < 0 ? 0 : owners.first_tile(part); part >= 0 && tile < owners.first_tile(part + 1); ++tile) {
      local.push_back(tiling.tiles[static_cast<std::size_t>(tile)]);
    }
    for (auto& field : values) {
      for (const Rect& tile : local) field.emplace_back(tile.cells());
    }
  }

  [[nodiscard]] std::vector<std::vector<remap::Tile>> targets() {
    std::vector<std::vector<remap::Tile>> all(values.size());
    for (std::size_t field = 0; field < values.size(); ++field) {
      for (std::size_t tile = 0; tile < local.size(); ++tile) {
        all[field].push_back({local[tile], values[field][tile].data(), local[tile].width()});
      }
    }
    return all;
  }

  [[nodiscard]] std::vector<std::vector<remap::ConstTile>> sources() const {
    std::vector<std::vector<remap::ConstTile>> all(values.size());
    for (std::size_t field = 0; field < values.size(); ++field) {
      for (std::size_t tile = 0; tile < local.size(); ++tile) {
        all[field].push_back({local[tile], values[field][tile].data(), local[tile].width()});
      }
    }
    return all;
  }

  // Integral of a field, over the ranks of the communicator. Plain sums: the bound is looser than their rounding.
  [[nodiscard]] double integral(MPI_Comm communicator, std::size_t field) const {
    double sum = 0.0;
    for (const auto& tile : values[field]) {
      for (const double value : tile) sum += value;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, communicator);
    return sum * tiling.grid.dx() * tiling.grid.dy();
  }

  Tiling tiling;
  Ownership owners;
  std::vector<Rect> local;
  std::vector<std::vector<std::vector<double>>> values;  // [field][local tile][cell]
};

void fill(Side& side) {
  for (std::size_t tile = 0; tile < side.local.size(); ++tile) {
    const Rect& cells = side.local[tile];
    double* out_rough = side.values[0][tile].data();
    double* out_constant = side.values[1][tile].data();
    for (int j = cells.y0; j < cells.y1; ++j) {
      for (int i = cells.x0; i < cells.x1; ++i) {
        *out_rough++ = rough(i, j);
        *out_constant++ = 1.0;
      }
    }
  }
}

double worst_constant(MPI_Comm communicator, const Side& side) {
  double worst = 0.0;
  for (const auto& tile : side.values[1]) {
    for (const double value : tile) worst = std::max(worst, counted(std::fabs(value - 1.0)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, communicator);
  return worst;
}

}  // namespace

CheckResult check_remap(MPI_Comm communicator, int /*threads*/) {
  constexpr double kBound = 1e-12;
  std::vector<int> half;  // every other rank
  for (int rank = 0; rank < parallel::size_of(communicator); rank += 2) half.push_back(rank);
  // 72 x 60 against 100 x 84: the finer mesh's cells straddle the coarser one's.
  Side coarse(communicator, block_tiling({72, 60}, 12, 12), every_rank(communicator), 2);
  Side fine(communicator, strip_tiling({100, 84}, 5), half, 2);
  fill(coarse);
  const double sent = coarse.integral(communicator, 0);
  remap::Transfer(communicator, coarse.tiling, coarse.owners, fine.tiling, fine.owners)
      .move(coarse.sources(), fine.targets());
  const double there = fine.integral(communicator, 0);
  double constant = worst_constant(communicator, fine);
  remap::Transfer(communicator, fine.tiling, fine.owners, coarse.tiling, coarse.owners)
      .move(fine.sources(), coarse.targets());
  const double back = coarse.integral(communicator, 0);
  constant = std::max(constant, worst_constant(communicator, coarse));
  const double error_there = std::fabs(there - sent) / sent;
  const double error_back = std::fabs(back - sent) / sent;
  return {"remap",
          std::max({counted(error_there), counted(error_back), constant}) <= kBound,
          {{"there", error_there},
           {"there_and_back", error_back},
           {"constant", constant},
           {"target_ranks", static_cast<double>(half.size())},
           {"bound", kBound}}};
}

}  // namespace twomesh::checks
