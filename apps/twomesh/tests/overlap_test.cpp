// SPDX-License-Identifier: BSD-3-Clause
#include "remap/overlap.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace twomesh::remap {
namespace {

const std::vector<std::pair<int, int>> kAxes{{4, 4}, {4, 6}, {6, 4}, {7, 5}, {96, 144}, {1, 9}, {9, 1}, {100, 101}};

TEST(AxisOverlap, WeightsOfATargetCellAddUpToOne) {
  for (const auto& [source, target] : kAxes) {
    const AxisOverlap overlap(source, target);
    for (int cell = 0; cell < target; ++cell) {
      double sum = 0.0;
      for (int from = overlap.first(cell); from < overlap.last(cell); ++from) sum += overlap.weight(cell, from);
      EXPECT_NEAR(sum, 1.0, 1e-15) << source << " to " << target;
    }
  }
}

TEST(AxisOverlap, GivesAwayEachSourceCellWhole) {
  for (const auto& [source, target] : kAxes) {
    const AxisOverlap overlap(source, target);
    std::vector<double> given(static_cast<std::size_t>(source), 0.0);
    for (int cell = 0; cell < target; ++cell) {
      for (int from = overlap.first(cell); from < overlap.last(cell); ++from) {
        given[static_cast<std::size_t>(from)] += overlap.weight(cell, from) * source / target;
      }
    }
    for (const double share : given) EXPECT_NEAR(share, 1.0, 1e-14) << source << " to " << target;
  }
}

TEST(AxisOverlap, OfEqualAxesIsTheIdentity) {
  const AxisOverlap overlap(5, 5);
  for (int cell = 0; cell < 5; ++cell) {
    EXPECT_EQ(overlap.first(cell), cell);
    EXPECT_EQ(overlap.last(cell), cell + 1);
    EXPECT_EQ(overlap.weight(cell, cell), 1.0);
  }
}

TEST(AxisOverlap, SplitsAStraddlingCell) {
  const AxisOverlap overlap(2, 3);  // target cell 1 lies half in each source cell
  EXPECT_EQ(overlap.first(1), 0);
  EXPECT_EQ(overlap.last(1), 2);
  EXPECT_DOUBLE_EQ(overlap.weight(1, 0), 0.5);
}

}  // namespace
}  // namespace twomesh::remap
