// SPDX-License-Identifier: BSD-3-Clause
#include "remap/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace twomesh::remap {
namespace {

using Field = std::vector<std::vector<double>>;  // a tile, a cell

Field field_on(const Tiling& tiling, const std::function<double(int, int)>& value) {
  Field field;
  for (const Rect& tile : tiling.tiles) {
    auto& cells = field.emplace_back();
    for (int j = tile.y0; j < tile.y1; ++j) {
      for (int i = tile.x0; i < tile.x1; ++i) cells.push_back(value(i, j));
    }
  }
  return field;
}

Field remapped(const Tiling& source, const Field& values, const Tiling& target) {
  Field out = field_on(target, [](int, int) { return 0.0; });
  const Plan plan(source, target);
  for (const Patch& patch : plan.patches()) {
    const auto from = static_cast<std::size_t>(patch.source_tile);
    const auto to = static_cast<std::size_t>(patch.target_tile);
    std::vector<double> contribution(patch.cells.cells());
    plan.contribute({source.tiles[from], values[from].data(), source.tiles[from].width()}, patch, contribution.data());
    Plan::accumulate(contribution.data(), patch, {target.tiles[to], out[to].data(), target.tiles[to].width()});
  }
  return out;
}

double integral(const Tiling& tiling, const Field& field) {
  double sum = 0.0;
  for (const auto& tile : field) {
    for (const double value : tile) sum += value;
  }
  return sum * tiling.grid.dx() * tiling.grid.dy();
}

double bumpy(int i, int j) { return 1.0 + 0.5 * ((i * 7 + j * 13) % 11); }

TEST(Plan, ConservesTheIntegralToAFinerMeshAndBack) {
  const Tiling coarse = block_tiling({24, 16}, 8, 8);
  const Tiling fine = strip_tiling({34, 27}, 4);
  const Field sent = field_on(coarse, bumpy);
  const Field there = remapped(coarse, sent, fine);
  const Field back = remapped(fine, there, coarse);
  EXPECT_NEAR(integral(fine, there), integral(coarse, sent), 1e-13);
  EXPECT_NEAR(integral(coarse, back), integral(coarse, sent), 1e-13);
}

TEST(Plan, KeepsAConstant) {
  const Field there =
      remapped(block_tiling({24, 16}, 8, 8), field_on(block_tiling({24, 16}, 8, 8), [](int, int) { return 3.0; }),
               strip_tiling({34, 27}, 4));
  for (const auto& tile : there) {
    for (const double value : tile) EXPECT_NEAR(value, 3.0, 1e-14);
  }
}

TEST(Plan, MovesBitsUnchangedBetweenEqualMeshes) {
  const Tiling blocks = block_tiling({16, 16}, 8, 4);
  const Tiling strips = strip_tiling({16, 16}, 3);
  EXPECT_EQ(remapped(blocks, field_on(blocks, bumpy), strips), field_on(strips, bumpy));
}

TEST(Plan, StaysWithinTheValuesThatItMeets) {
  const Tiling coarse = block_tiling({24, 16}, 8, 8);
  for (const auto& tile : remapped(coarse, field_on(coarse, bumpy), strip_tiling({11, 50}, 7))) {
    for (const double value : tile) {
      EXPECT_GE(value, 1.0 - 1e-14);
      EXPECT_LE(value, 6.0 + 1e-14);
    }
  }
}

TEST(Plan, ListsPatchesInTheOrderOfTheirTiles) {
  const Plan plan(block_tiling({32, 32}, 8, 8), strip_tiling({48, 48}, 5));
  const auto before = [](const Patch& a, const Patch& b) {
    return std::pair(a.source_tile, a.target_tile) < std::pair(b.source_tile, b.target_tile);
  };
  EXPECT_TRUE(std::is_sorted(plan.patches().begin(), plan.patches().end(), before));
}

}  // namespace
}  // namespace twomesh::remap
