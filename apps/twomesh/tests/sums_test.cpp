// SPDX-License-Identifier: BSD-3-Clause
// What every run is compared by, and the check of its remap: that they see the smallest thing that could go wrong. Two
// runs with equal sums are taken for bitwise equal, so one bit anywhere has to move them.
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "coupling/heat.hpp"
#include "coupling/round_trip.hpp"
#include "l0/problems.hpp"
#include "parallel/communicator.hpp"

using namespace twomesh;

namespace {

int failures = 0;

int my_rank() { return parallel::rank_in(MPI_COMM_WORLD); }

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::printf("FAIL: rank %d: %s\n", my_rank(), what.c_str());
}

constexpr Grid kGasMesh{32, 32};
constexpr int kBlockCells = 8;     // along an axis
constexpr Grid kHeatMesh{48, 48};  // 1.5 times as fine: a region is 2 x 2 cells of the gas mesh

l0::Hydro gas() {
  l0::HydroOptions options;
  options.grid = kGasMesh;
  options.block_nx = options.block_ny = kBlockCells;
  l0::Hydro hydro(MPI_COMM_WORLD, options, l0::problem("blobs"));
  hydro.step(hydro.stable_step());
  return hydro;
}

// This rank's block with that tile; null where it is another's.
l0::Block* block_of(l0::Hydro& hydro, int tile) {
  const Rect& cells = hydro.tiling().tiles[static_cast<std::size_t>(tile)];
  for (l0::Block& block : hydro.blocks()) {
    if (block.cells().x0 == cells.x0 && block.cells().y0 == cells.y0) return &block;
  }
  return nullptr;
}

double last_bit_moved(double value) { return std::nextafter(value, std::numeric_limits<double>::infinity()); }

void one_bit_of_any_field_moves_the_sum_of_the_fields() {
  l0::Hydro hydro = gas();
  const std::uint64_t before = hydro.checksum();
  for (int tile = 0; tile < hydro.tiling().count(); ++tile) {
    l0::Block* const block = block_of(hydro, tile);
    for (std::size_t field = 0; field < l0::kFields; ++field) {
      const int column = (3 * tile) % kBlockCells, row = (tile / 3) % kBlockCells;
      double unused = 0.0;
      double& value = block == nullptr ? unused : block->state[field][block->at(column, row)];
      const double kept = std::exchange(value, last_bit_moved(value));
      const std::string where = "field " + std::to_string(field) + " of tile " + std::to_string(tile);
      expect(hydro.checksum() != before, "the sum does not see one bit of " + where);
      value = kept;
    }
  }
  expect(hydro.checksum() == before, "the same bits have another sum");
}

coupling::Heat::Report heat_of(l0::Hydro& hydro, bool hash_iterates) {
  coupling::HeatOptions options;
  options.grid = kHeatMesh;
  options.solver.hash_iterates = hash_iterates;
  const int last = parallel::size_of(MPI_COMM_WORLD) - 1;
  const std::vector<int> wide = last == 0 ? std::vector<int>{0} : std::vector<int>{0, last};
  coupling::Heat heat(MPI_COMM_WORLD, options, hydro, wide);
  heat.gather(hydro);
  if (my_rank() == 0 || my_rank() == last) heat.solve(0.01, 1);
  heat.scatter(hydro);
  expect(heat.round_trip_error(hydro) < 1e-12, "density and momentum come back where they were");
  return heat.report();
}

// All iterates or each solve's last: the same numbers, so only a sum that iterates are in can tell them apart.
void the_sum_of_the_solver_has_the_iterates_in_it() {
  l0::Hydro hydro = gas();
  l0::Hydro same = gas();
  const coupling::Heat::Report all = heat_of(hydro, true);
  const coupling::Heat::Report last = heat_of(same, false);
  expect(all.iterations > 1, "more than one iterate");
  expect(last.iterations == all.iterations, "other iterations where fewer of them are summed");
  expect(same.checksum() == hydro.checksum(), "other fields where fewer iterates are summed");
  expect(all.checksum != last.checksum, "the sum of the solver is the same without most iterates");
}

// Copies of density and momentum, as they would come back.
struct Returned {
  explicit Returned(const l0::Hydro& hydro) {
    for (int field = 0; field < l0::kEnergy; ++field) {
      values.emplace_back();
      for (const l0::Block& block : hydro.blocks())
        values.back().push_back(block.state[static_cast<std::size_t>(field)]);
    }
  }
  [[nodiscard]] double error(const l0::Hydro& hydro) const {
    std::vector<std::vector<remap::ConstTile>> tiles(values.size());
    for (std::size_t field = 0; field < values.size(); ++field) {
      for (std::size_t i = 0; i < hydro.blocks().size(); ++i) {
        const l0::Block& block = hydro.blocks()[i];
        tiles[field].push_back({block.cells(), values[field][i].data() + block.at(0, 0), block.stride()});
      }
    }
    return coupling::round_trip_error(MPI_COMM_WORLD, hydro, kHeatMesh, tiles);
  }
  std::vector<std::vector<std::vector<double>>> values;  // [field][block]
};

// The totals of the domain are the same, and those of a block too.
void two_regions_that_changed_places_are_an_error() {
  const l0::Hydro hydro = gas();
  expect(Returned(hydro).error(hydro) == 0.0, "what came back as it was has an error");
  for (std::size_t field = 0; field < l0::kEnergy; ++field) {
    Returned returned(hydro);
    if (my_rank() == 0) {
      const l0::Block& block = hydro.blocks().front();
      for (const auto& [i, j] : {std::pair{0, 0}, {1, 0}, {0, 1}, {1, 1}}) {
        std::vector<double>& values = returned.values[field].front();
        std::swap(values[block.at(i, j)], values[block.at(i + 6, j + 4)]);
      }
    }
    expect(returned.error(hydro) > 1e-6, "two regions of field " + std::to_string(field) + " changed places unseen");
  }
}

// Inside a region the remap smooths.
void cells_of_one_region_may_change_places() {
  const l0::Hydro hydro = gas();
  Returned returned(hydro);
  const std::size_t from = hydro.blocks().front().at(0, 0), to = hydro.blocks().front().at(1, 1);
  std::swap(returned.values[l0::kDensity].front()[from], returned.values[l0::kDensity].front()[to]);
  expect(returned.error(hydro) < 1e-12, "cells of one region changed places");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  one_bit_of_any_field_moves_the_sum_of_the_fields();
  the_sum_of_the_solver_has_the_iterates_in_it();
  two_regions_that_changed_places_are_an_error();
  cells_of_one_region_may_change_places();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
