// SPDX-License-Identifier: BSD-3-Clause
// Who gives which face of which block to whom: pure, from tiling and ownership. Not: the exchange itself (Halo). Blocks
// form a full rectangle of blocks, so each side of a block meets one block or the edge of the domain.
#pragma once

#include <array>
#include <vector>

#include "mesh/ownership.hpp"
#include "mesh/tiling.hpp"

namespace twomesh::l0 {

enum class Side : int { west = 0, east = 1, south = 2, north = 3 };
inline constexpr std::array<Side, 4> kSides{Side::west, Side::east, Side::south, Side::north};

enum class Edge { periodic, open };  // open: gas flows out, ghosts repeat the last cell

// The ghosts on `side` of block `target` are cells of block `source`; -1: the edge of the domain.
struct Face {
  int target;
  Side side;
  int source;
};

// All faces in the order of (target, side), the order in which a message holds them.
[[nodiscard]] std::vector<Face> halo_faces(const Tiling& tiling, Edge x_edge, Edge y_edge);

}  // namespace twomesh::l0
