// SPDX-License-Identifier: BSD-3-Clause
#include "remap/tile_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace twomesh::remap {

TileRows::TileRows(const Tiling& tiling) : tiling_(tiling) {
  std::vector<int> order(tiling.tiles.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::tuple(tile(a).y0, tile(a).x0) < std::tuple(tile(b).y0, tile(b).x0); });
  for (const int index : order) {
    if (rows_.empty() || tile(rows_.back().front()).y0 != tile(index).y0) rows_.emplace_back();
    rows_.back().push_back(index);
  }
}

void TileRows::find(const Rect& cells, std::vector<int>& tiles) const {
  tiles.clear();
  const auto below = [&](const Row& row) { return tile(row.front()).y1 <= cells.y0; };
  const auto left = [&](int index) { return tile(index).x1 <= cells.x0; };
  for (auto row = std::partition_point(rows_.begin(), rows_.end(), below);
       row != rows_.end() && tile(row->front()).y0 < cells.y1; ++row) {
    for (auto index = std::partition_point(row->begin(), row->end(), left);
         index != row->end() && tile(*index).x0 < cells.x1; ++index) {
      tiles.push_back(*index);
    }
  }
  std::sort(tiles.begin(), tiles.end());
}

}  // namespace twomesh::remap
