// SPDX-License-Identifier: BSD-3-Clause
#include "coupling/round_trip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mesh/counted.hpp"

namespace twomesh::coupling {
namespace {

constexpr int kMostRegions = 64;  // along an axis: all sums together are a message of 230 KB

// The most regions of equal size along an axis whose borders are borders of cells on both meshes.
int regions_along(int cells, int other_cells) {
  const int common = std::gcd(cells, other_cells);
  for (int regions = std::min(common, kMostRegions); regions > 1; --regions) {
    if (common % regions == 0) return regions;
  }
  return 1;
}

struct Regions {
  int nx, ny;         // of them
  int width, height;  // [L0 cells]

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
  [[nodiscard]] std::size_t of(int i, int j) const {
    return static_cast<std::size_t>(j / height) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(i / width);
  }
};

Regions shared_by(const Grid& grid, const Grid& other) {
  const int nx = regions_along(grid.nx, other.nx);
  const int ny = regions_along(grid.ny, other.ny);
  return {nx, ny, grid.nx / nx, grid.ny / ny};
}

// [region] sums of a field over this rank's tiles.
std::vector<double> sums(const std::vector<remap::ConstTile>& tiles, const Regions& regions) {
  std::vector<double> sums(regions.count());
  for (const remap::ConstTile& tile : tiles) {
    for (int j = tile.cells.y0; j < tile.cells.y1; ++j) {
      const double* const row = tile.values + (j - tile.cells.y0) * tile.pitch;
      for (int i = tile.cells.x0; i < tile.cells.x1; ++i) sums[regions.of(i, j)] += row[i - tile.cells.x0];
    }
  }
  return sums;
}

// Collective.
std::vector<double> sums_of_all(MPI_Comm communicator, const std::vector<remap::ConstTile>& tiles,
                                const Regions& regions) {
  std::vector<double> all = sums(tiles, regions);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, communicator);
  return all;
}

}  // namespace

std::vector<remap::ConstTile> tiles_of_field(const l0::Hydro& hydro, int field) {
  std::vector<remap::ConstTile> tiles;
  for (const l0::Block& block : hydro.blocks()) {
    tiles.push_back(
        {block.cells(), block.state[static_cast<std::size_t>(field)].data() + block.at(0, 0), block.stride()});
  }
  return tiles;
}

double round_trip_error(MPI_Comm communicator, const l0::Hydro& hydro, const Grid& other,
                        const std::vector<std::vector<remap::ConstTile>>& returned) {
  const Regions regions = shared_by(hydro.tiling().grid, other);
  std::array<std::vector<double>, l0::kFields> sent;
  for (int field = 0; field < l0::kFields; ++field) {
    sent[static_cast<std::size_t>(field)] = sums_of_all(communicator, tiles_of_field(hydro, field), regions);
  }
  double error = 0.0;
  for (std::size_t field = l0::kDensity; field < l0::kEnergy; ++field) {
    const std::vector<double> back = sums_of_all(communicator, returned.at(field), regions);
    for (std::size_t region = 0; region < regions.count(); ++region) {
      const double mass = sent[l0::kDensity][region];
      // A momentum may be zero; its scale is that of all the region's energy.
      const double scale = field == l0::kDensity ? mass : std::sqrt(2.0 * mass * sent[l0::kEnergy][region]);
      error = std::max(error, counted(std::fabs(back[region] - sent[field][region]) / scale));
    }
  }
  return error;
}

}  // namespace twomesh::coupling
