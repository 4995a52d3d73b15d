// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "l0/halo_plan.hpp"
#include "mesh/ownership.hpp"
#include "mesh/tiling.hpp"

namespace twomesh {
namespace {

void expect_each_cell_once(const Tiling& tiling) {
  std::set<std::pair<int, int>> seen;
  for (const Rect& tile : tiling.tiles) {
    for (int j = tile.y0; j < tile.y1; ++j) {
      for (int i = tile.x0; i < tile.x1; ++i) EXPECT_TRUE(seen.emplace(i, j).second) << i << ' ' << j;
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(tiling.grid.nx * tiling.grid.ny));
}

TEST(Tiling, BlocksHoldEachCellOnce) { expect_each_cell_once(block_tiling({24, 40}, 8, 8)); }
TEST(Tiling, StripsHoldEachCellOnceAlsoWhenTheLastIsShort) { expect_each_cell_once(strip_tiling({10, 11}, 4)); }

TEST(Tiling, BlocksFollowTheMortonCurve) {
  const Tiling tiling = block_tiling({32, 32}, 8, 8);
  EXPECT_EQ(tiling.tiles[1], (Rect{8, 16, 0, 8}));
  EXPECT_EQ(tiling.tiles[2], (Rect{0, 8, 8, 16}));
  EXPECT_EQ(tiling.tiles[4], (Rect{16, 24, 0, 8}));
}

TEST(Ownership, SharesTilesOutEvenlyAndInOrder) {
  const Ownership owners(10, {0, 2, 5});
  int next = 0;
  for (int part = 0; part < owners.parts(); ++part) {
    EXPECT_EQ(owners.first_tile(part), next);
    EXPECT_LE(std::abs(owners.tile_count(part) - 3), 1);
    next += owners.tile_count(part);
  }
  EXPECT_EQ(next, 10);
  EXPECT_EQ(owners.part_on(5), 2);
  EXPECT_EQ(owners.part_on(1), -1);
}

TEST(Ownership, FindsOwnersAlsoWhereSomePartsAreEmpty) {
  const Ownership owners(3, {0, 1, 2, 3, 4, 5, 6});
  for (int tile = 0; tile < 3; ++tile) {
    const int part = owners.part_of_tile(tile);
    EXPECT_LE(owners.first_tile(part), tile);
    EXPECT_GT(owners.first_tile(part + 1), tile);
  }
}

TEST(HaloPlan, WrapsAroundAPeriodicDomain) {
  const Tiling tiling = block_tiling({16, 8}, 8, 8);  // two blocks side by side
  for (const l0::Face& face : l0::halo_faces(tiling, l0::Edge::periodic, l0::Edge::periodic)) {
    const bool along_x = face.side == l0::Side::west || face.side == l0::Side::east;
    EXPECT_EQ(face.source, along_x ? 1 - face.target : face.target);
  }
}

TEST(HaloPlan, HasNoSourceBeyondAnOpenEdge) {
  const Tiling tiling = block_tiling({24, 8}, 8, 8);
  int open = 0;
  for (const l0::Face& face : l0::halo_faces(tiling, l0::Edge::open, l0::Edge::periodic))
    open += face.source < 0 ? 1 : 0;
  EXPECT_EQ(open, 2);
}

}  // namespace
}  // namespace twomesh
