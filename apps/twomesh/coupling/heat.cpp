// SPDX-License-Identifier: BSD-3-Clause
#include "coupling/heat.hpp"

#include <algorithm>
#include <utility>

#include "coupling/round_trip.hpp"

namespace twomesh::coupling {
namespace {

std::vector<remap::ConstTile> read_only(const std::vector<remap::Tile>& tiles) {
  std::vector<remap::ConstTile> same;
  same.reserve(tiles.size());
  for (const remap::Tile& tile : tiles) same.push_back({tile.cells, tile.values, tile.pitch});
  return same;
}

void add_energy(l0::Block& block, const std::vector<double>& gain) {
  const double* in = gain.data();
  for (int j = 0; j < block.ny(); ++j) {
    double* energy = block.state[l0::kEnergy].data() + block.at(0, j);
    for (int i = 0; i < block.nx(); ++i) energy[i] += *in++;
  }
}

}  // namespace

Heat::Wide::Wide(parallel::Communicator own, const Tiling& tiling, const Ownership& owners, const HeatOptions& options)
    : communicator(std::move(own)),
      rows(communicator.handle(), owners),
      conduction(tiling, owners.first_tile(parallel::rank_in(communicator.handle())),
                 owners.first_tile(parallel::rank_in(communicator.handle()) + 1), options.material, options.solver) {
  const int part = parallel::rank_in(communicator.handle());
  for (int tile = owners.first_tile(part); tile < owners.first_tile(part + 1); ++tile) {
    tiles.push_back(tiling.tiles[static_cast<std::size_t>(tile)]);
  }
}

Heat::Heat(MPI_Comm communicator, const HeatOptions& options, const l0::Hydro& hydro,
           const std::vector<int>& wide_ranks)
    : communicator_(communicator),
      options_(options),
      tiling_(strip_tiling(options.grid, options.strip_rows)),
      owners_(tiling_.count(), wide_ranks),
      there_(communicator, hydro.tiling(), hydro.ownership(), tiling_, owners_),
      back_(communicator, tiling_, owners_, hydro.tiling(), hydro.ownership()),
      returned_(options.back == Return::all ? 4 : 1) {
  const bool is_wide = owners_.part_on(parallel::rank_in(communicator)) >= 0;
  parallel::Communicator wide = parallel::Communicator::subset(communicator, is_wide);
  if (is_wide) wide_ = std::make_unique<Wide>(std::move(wide), tiling_, owners_, options);
  for (auto& field : returned_) {
    for (const l0::Block& block : hydro.blocks()) field.emplace_back(block.cells().cells());
  }
}

std::vector<remap::Tile> Heat::tiles_of(l1::RowField& field) const {
  std::vector<remap::Tile> tiles;
  int row = 0;
  for (const Rect& strip : wide_->tiles) {
    tiles.push_back({strip, field.row(row), field.pitch()});
    row += strip.height();
  }
  return tiles;
}

void Heat::gather(const l0::Hydro& hydro) {
  std::vector<std::vector<remap::ConstTile>> sources;
  std::vector<std::vector<remap::Tile>> targets(l0::kFields);
  for (int field = 0; field < l0::kFields; ++field) {
    sources.push_back(tiles_of_field(hydro, field));
    if (wide_) targets[static_cast<std::size_t>(field)] = tiles_of(wide_->conduction.field(field));
  }
  there_.move(sources, targets);
}

void Heat::solve(double dt, int team) {
  const l1::SolveReport solve = wide_->conduction.step(dt, wide_->rows, team);
  so_far_.iterations += solve.iterations;
  if (!(solve.relative_residual <= options_.solver.tolerance))  // nor where it is not a number
    ++so_far_.steps_not_converged;
  so_far_.team = so_far_.team == 0 ? solve.threads : std::min(so_far_.team, solve.threads);
}

void Heat::scatter(l0::Hydro& hydro) {
  std::vector<std::vector<remap::ConstTile>> sources(returned_.size());
  std::vector<std::vector<remap::Tile>> targets(returned_.size());
  for (std::size_t field = 0; field < returned_.size(); ++field) {
    if (wide_) {
      l1::Conduction& conduction = wide_->conduction;
      sources[field] =
          read_only(tiles_of(field == 0 ? conduction.gain() : conduction.field(static_cast<int>(field) - 1)));
    }
    for (std::size_t block = 0; block < hydro.blocks().size(); ++block) {
      const Rect& cells = hydro.blocks()[block].cells();
      targets[field].push_back({cells, returned_[field][block].data(), cells.width()});
    }
  }
  back_.move(sources, targets);
  for (std::size_t block = 0; block < hydro.blocks().size(); ++block) {
    add_energy(hydro.blocks()[block], returned_[0][block]);
  }
}

std::vector<remap::ConstTile> Heat::held(int field) const {
  if (!wide_) return {};
  return read_only(tiles_of(wide_->conduction.field(field)));
}

std::vector<remap::ConstTile> Heat::returned(const l0::Hydro& hydro, int field) const {
  std::vector<remap::ConstTile> tiles;
  for (std::size_t block = 0; block < hydro.blocks().size(); ++block) {
    const Rect& cells = hydro.blocks()[block].cells();
    tiles.push_back({cells, returned_[static_cast<std::size_t>(field) + 1][block].data(), cells.width()});
  }
  return tiles;
}

Heat::Report Heat::report() {
  Report report = so_far_;
  if (wide_) {
    Checksum all;
    std::vector<std::uint64_t> strips;
    for (const Checksum& strip : wide_->conduction.solver().iterates()) strips.push_back(strip.value());
    all.add(wide_->conduction.solver().history().value());
    all.add(wide_->rows.order().checksum(strips));
    report.checksum = all.value();
    report.true_residual = wide_->conduction.true_residual(wide_->rows, 1);
    MPI_Allreduce(&so_far_.team, &report.team, 1, MPI_INT, MPI_MAX, wide_->communicator.handle());
  }
  MPI_Bcast(&report, sizeof report, MPI_BYTE, owners_.rank_of_part(0), communicator_);
  return report;
}

double Heat::round_trip_error(const l0::Hydro& hydro) const {
  if (options_.back == Return::energy) return 0.0;
  std::vector<std::vector<remap::ConstTile>> back;
  for (int field = 0; field < l0::kEnergy; ++field) back.push_back(returned(hydro, field));
  return coupling::round_trip_error(communicator_, hydro, options_.grid, back);
}

}  // namespace twomesh::coupling
