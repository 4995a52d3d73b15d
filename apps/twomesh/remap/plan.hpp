// SPDX-License-Identifier: BSD-3-Clause
// What a source tile gives to a target tile: pure, from the two tilings alone. Conservative: a target cell's
// value is the mean of the source over the cell, weighted by overlapping area, so integrals stay.
#pragma once

#include <cstddef>
#include <vector>

#include "mesh/tiling.hpp"
#include "remap/overlap.hpp"

namespace twomesh::remap {

// The part of `target_tile` that `source_tile` overlaps, in cells of the target's grid. Cells on the rim of
// the patch get only a part of their value from it.
struct Patch {
  int source_tile, target_tile;
  Rect cells;
};

// A tile's values of one field: `values` points at cell (cells.x0, cells.y0), rows are `pitch` values apart.
struct ConstTile {
  Rect cells;
  const double* values;
  std::ptrdiff_t pitch;
};

struct Tile {
  Rect cells;
  double* values;
  std::ptrdiff_t pitch;
};

class Plan {
 public:
  Plan(const Tiling& source, const Tiling& target);

  // In the order of (source tile, target tile): the order in which messages hold them and targets add them up.
  [[nodiscard]] const std::vector<Patch>& patches() const { return patches_; }
  // The source tile's part of the means over the patch's cells, row by row into `out`.
  void contribute(const ConstTile& source, const Patch& patch, double* out) const;
  // Adds a contribution to the target tile. Targets start from zero.
  static void accumulate(const double* contribution, const Patch& patch, const Tile& target);

 private:
  AxisOverlap x_, y_;
  std::vector<Patch> patches_;
};

}  // namespace twomesh::remap
