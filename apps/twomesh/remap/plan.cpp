// SPDX-License-Identifier: BSD-3-Clause
#include "remap/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "remap/tile_rows.hpp"

namespace twomesh::remap {
namespace {

// Target cells [first, last) that overlap source cells [begin, end) of an axis.
std::pair<int, int> covered(int begin, int end, int source_cells, int target_cells) {
  const std::int64_t targets = target_cells;
  return {static_cast<int>(begin * targets / source_cells),
          static_cast<int>((end * targets + source_cells - 1) / source_cells)};
}

Rect footprint(const Rect& tile, const Grid& source, const Grid& target) {
  const auto [x0, x1] = covered(tile.x0, tile.x1, source.nx, target.nx);
  const auto [y0, y1] = covered(tile.y0, tile.y1, source.ny, target.ny);
  return {x0, x1, y0, y1};
}

// sums[i] += weight * row[i]
void add_row(const double* __restrict row, double weight, int count, double* __restrict sums) {
  for (int i = 0; i < count; ++i) sums[i] += weight * row[i];
}

}  // namespace

Plan::Plan(const Tiling& source, const Tiling& target)
    : x_(source.grid.nx, target.grid.nx), y_(source.grid.ny, target.grid.ny) {
  const TileRows rows(target);
  std::vector<int> met;
  for (int from = 0; from < source.count(); ++from) {
    const Rect reach = footprint(source.tiles[static_cast<std::size_t>(from)], source.grid, target.grid);
    rows.find(reach, met);
    for (const int to : met) {
      patches_.push_back({from, to, intersection(reach, target.tiles[static_cast<std::size_t>(to)])});
    }
  }
}

void Plan::contribute(const ConstTile& source, const Patch& patch, double* out) const {
  // The source's columns that the patch overlaps; their rows are weighted in y first, then in x.
  const int left = std::max(x_.first(patch.cells.x0), source.cells.x0);
  const int right = std::min(x_.last(patch.cells.x1 - 1), source.cells.x1);
  std::vector<double> sums(static_cast<std::size_t>(right - left));
  for (int row = patch.cells.y0; row < patch.cells.y1; ++row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    const int begin = std::max(y_.first(row), source.cells.y0);
    const int end = std::min(y_.last(row), source.cells.y1);
    for (int j = begin; j < end; ++j) {
      const double* values = source.values + (j - source.cells.y0) * source.pitch + (left - source.cells.x0);
      add_row(values, y_.weight(row, j), right - left, sums.data());
    }
    for (int column = patch.cells.x0; column < patch.cells.x1; ++column) {
      const int first = std::max(x_.first(column), left);
      const int last = std::min(x_.last(column), right);
      double mean = 0.0;
      for (int i = first; i < last; ++i) mean += x_.weight(column, i) * sums[static_cast<std::size_t>(i - left)];
      *out++ = mean;
    }
  }
}

void Plan::accumulate(const double* contribution, const Patch& patch, const Tile& target) {
  const int width = patch.cells.width();
  for (int row = patch.cells.y0; row < patch.cells.y1; ++row) {
    double* out = target.values + (row - target.cells.y0) * target.pitch + (patch.cells.x0 - target.cells.x0);
    for (int i = 0; i < width; ++i) out[i] += contribution[i];
    contribution += width;
  }
}

}  // namespace twomesh::remap
