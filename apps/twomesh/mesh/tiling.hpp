// SPDX-License-Identifier: BSD-3-Clause
// A tiling: a grid cut into rectangles in a fixed order. Not: who owns them (Ownership). Invariant: the order
// depends on the grid alone, never on ranks or threads, and every sum over the grid runs in it, so sums are
// bitwise equal for every number of ranks and threads.
#pragma once

#include <vector>

#include "mesh/grid.hpp"

namespace twomesh {

struct Tiling {
  Grid grid;
  std::vector<Rect> tiles;

  [[nodiscard]] int count() const { return static_cast<int>(tiles.size()); }
};

// Blocks of at most block_nx x block_ny cells along a Morton curve, so that neighbours in order are neighbours in
// space.
[[nodiscard]] Tiling block_tiling(const Grid& grid, int block_nx, int block_ny);

// Strips of at most `rows` whole rows, bottom-up.
[[nodiscard]] Tiling strip_tiling(const Grid& grid, int rows);

}  // namespace twomesh
