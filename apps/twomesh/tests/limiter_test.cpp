// SPDX-License-Identifier: BSD-3-Clause
#include "l0/limiter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace twomesh::l0 {
namespace {

TEST(Limiter, KeepsTheSlopeOfALine) { EXPECT_DOUBLE_EQ(limited_slope(0.7, 0.7), 0.7); }

TEST(Limiter, IsFlatAtAnExtremum) {
  EXPECT_EQ(limited_slope(1.0, -0.5), 0.0);
  EXPECT_EQ(limited_slope(-1.0, 0.5), 0.0);
  EXPECT_EQ(limited_slope(0.0, 2.0), 0.0);
  EXPECT_EQ(limited_slope(0.0, 0.0), 0.0);
}

TEST(Limiter, IsTheSameSeenFromBothSides) { EXPECT_EQ(limited_slope(0.3, 1.1), limited_slope(1.1, 0.3)); }

TEST(Limiter, NeverReachesBeyondANeighbour) {
  for (double behind = 0.01; behind < 100.0; behind *= 1.7) {
    for (double ahead = 0.01; ahead < 100.0; ahead *= 1.7) {
      EXPECT_LE(limited_slope(behind, ahead), 2.0 * std::min(behind, ahead));
      EXPECT_GT(limited_slope(behind, ahead), 0.0);
      EXPECT_EQ(limited_slope(-behind, -ahead), -limited_slope(behind, ahead));
    }
  }
}

}  // namespace
}  // namespace twomesh::l0
