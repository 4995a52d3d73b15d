// SPDX-License-Identifier: BSD-3-Clause
#include "remap/tile_rows.hpp"

#include <gtest/gtest.h>

namespace twomesh::remap {
namespace {

// By a look at all tiles.
std::vector<int> all_that_meet(const Tiling& tiling, const Rect& cells) {
  std::vector<int> tiles;
  for (int tile = 0; tile < tiling.count(); ++tile) {
    if (!intersection(tiling.tiles[static_cast<std::size_t>(tile)], cells).empty()) tiles.push_back(tile);
  }
  return tiles;
}

void expect_all_found(const Tiling& tiling) {
  const TileRows rows(tiling);
  std::vector<int> found;
  for (int x0 = 0; x0 < tiling.grid.nx; ++x0) {
    for (int x1 = x0 + 1; x1 <= tiling.grid.nx; ++x1) {
      for (int y0 = 0; y0 < tiling.grid.ny; ++y0) {
        for (int y1 = y0 + 1; y1 <= tiling.grid.ny; ++y1) {
          const Rect cells{x0, x1, y0, y1};
          rows.find(cells, found);
          ASSERT_EQ(found, all_that_meet(tiling, cells)) << x0 << ' ' << x1 << ' ' << y0 << ' ' << y1;
        }
      }
    }
  }
}

TEST(TileRows, FindAllBlocksOfEveryRectangle) {
  expect_all_found(block_tiling({12, 10}, 3, 2));
  expect_all_found(block_tiling({11, 9}, 4, 4));  // the last ones are smaller
}

TEST(TileRows, FindAllStripsOfEveryRectangle) {
  expect_all_found(strip_tiling({5, 16}, 1));
  expect_all_found(strip_tiling({4, 15}, 4));
}

TEST(TileRows, HaveOneTileWhereThereIsNoOther) { expect_all_found(strip_tiling({4, 4}, 100)); }

}  // namespace
}  // namespace twomesh::remap
