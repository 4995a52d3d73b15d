// SPDX-License-Identifier: BSD-3-Clause
#include "l0/hydro.hpp"

#include <algorithm>
#include <numeric>

#include "mesh/checksum.hpp"

namespace twomesh::l0 {
namespace {

std::vector<int> all_ranks(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

void set_state(Block& block, const Grid& grid, const Initial& initial) {
  for (int j = 0; j < block.ny(); ++j) {
    for (int i = 0; i < block.nx(); ++i) {
      const Primitive gas = initial(grid.x_centre(block.cells().x0 + i), grid.y_centre(block.cells().y0 + j));
      const std::size_t cell = block.at(i, j);
      block.state[kDensity][cell] = gas.density;
      block.state[kMomentumX][cell] = gas.density * gas.x_velocity;
      block.state[kMomentumY][cell] = gas.density * gas.y_velocity;
      block.state[kEnergy][cell] = total_energy(gas);
    }
  }
}

std::uint64_t block_checksum(const Block& block) {
  Checksum sum;
  for (const auto& field : block.state) {
    for (int j = 0; j < block.ny(); ++j) {
      sum.add(std::span<const double>(field.data() + block.at(0, j), static_cast<std::size_t>(block.nx())));
    }
  }
  return sum.value();
}

}  // namespace

Hydro::Hydro(MPI_Comm communicator, const HydroOptions& options)
    : communicator_(communicator),
      options_(options),
      tiling_(block_tiling(options.grid, options.block_nx, options.block_ny)),
      ownership_(tiling_.count(), all_ranks(communicator)),
      halo_(communicator, tiling_, ownership_, options.x_edge, options.y_edge),
      order_(communicator, ownership_) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const int part = ownership_.part_on(rank);
  for (int tile = ownership_.first_tile(part); tile < ownership_.first_tile(part + 1); ++tile) {
    blocks_.emplace_back(tiling_.tiles[static_cast<std::size_t>(tile)]);
  }
}

Hydro::Hydro(MPI_Comm communicator, const HydroOptions& options, const Initial& initial)
    : Hydro(communicator, options) {
  for (Block& block : blocks_) set_state(block, tiling_.grid, initial);
}

double Hydro::stable_step() const {
  double fastest = 0.0;
  for (const Block& block : blocks_) {
    fastest = std::max(fastest, fastest_wave(block, tiling_.grid.dx(), tiling_.grid.dy()));
  }
  double of_all = 0.0;  // a maximum has no rounding, so its order does not matter
  MPI_Allreduce(&fastest, &of_all, 1, MPI_DOUBLE, MPI_MAX, communicator_);
  return options_.courant / of_all;
}

void Hydro::step(double dt) {
  halo_.fill(blocks_, &Block::state);
  for (Block& block : blocks_) {
    compute_rates(block, block.state, tiling_.grid.dx(), tiling_.grid.dy(), scratch_);
    first_stage(block, dt);
  }
  halo_.fill(blocks_, &Block::stage);
  for (Block& block : blocks_) {
    compute_rates(block, block.stage, tiling_.grid.dx(), tiling_.grid.dy(), scratch_);
    second_stage(block, dt);
  }
}

std::array<double, kFields> Hydro::totals() {
  std::vector<double> local;
  for (const Block& block : blocks_) {
    const auto sums = block_sums(block);
    local.insert(local.end(), sums.begin(), sums.end());
  }
  std::array<double, kFields> totals{};
  order_.sum(local, totals);
  for (double& total : totals) total *= tiling_.grid.dx() * tiling_.grid.dy();
  return totals;
}

std::uint64_t Hydro::checksum() {
  std::vector<std::uint64_t> local;
  for (const Block& block : blocks_) local.push_back(block_checksum(block));
  return order_.checksum(local);
}

}  // namespace twomesh::l0
