// SPDX-License-Identifier: BSD-3-Clause
// The tiles of a tiling by where they lie, so that those in a rectangle are found without a look at all of them.
// Invariant: tiles stand in rows: two tiles have the same y, or share none.
#pragma once

#include <vector>

#include "mesh/tiling.hpp"

namespace twomesh::remap {

class TileRows {
 public:
  explicit TileRows(const Tiling& tiling);  // which outlives this object

  // Those that share cells with the rectangle, ascending; in place of what the list held.
  void find(const Rect& cells, std::vector<int>& tiles) const;

 private:
  using Row = std::vector<int>;  // left to right

  [[nodiscard]] const Rect& tile(int index) const { return tiling_.tiles[static_cast<std::size_t>(index)]; }

  const Tiling& tiling_;
  std::vector<Row> rows_;  // bottom-up
};

}  // namespace twomesh::remap
