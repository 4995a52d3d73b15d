// SPDX-License-Identifier: BSD-3-Clause
#include "l1/conduction.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace twomesh::l1 {
namespace {

constexpr int kSize = 32;

Conduction hot_spot(const Material& material) {
  const Tiling tiling = strip_tiling({kSize, kSize}, 4);
  Conduction conduction(tiling, 0, tiling.count(), material, {1e-10, 500, false});
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) {
      conduction.field(l0::kDensity).row(j)[i] = 1.0 + 0.1 * ((i + j) % 4);
      conduction.field(l0::kMomentumX).row(j)[i] = 0.3;
      conduction.field(l0::kEnergy).row(j)[i] = 3.0 + (i == 9 && j == 20 ? 5.0 : 0.0);
    }
  }
  return conduction;
}

TEST(Conduction, MovesHeatWithoutMakingAny) {
  Conduction conduction = hot_spot({0.1, 0.5});
  LoneRank neighbours;
  conduction.step(0.01, neighbours, 1);
  double sum = 0.0, moved = 0.0;
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) {
      sum += conduction.gain().row(j)[i];
      moved += std::fabs(conduction.gain().row(j)[i]);
    }
  }
  EXPECT_GT(moved, 1.0);
  EXPECT_LT(std::fabs(sum), 1e-13 * moved);
}

TEST(Conduction, CoolsTheHotCellAndWarmsItsNeighbour) {
  Conduction conduction = hot_spot({0.1, 0.5});
  LoneRank neighbours;
  conduction.step(0.01, neighbours, 1);
  EXPECT_LT(conduction.gain().row(20)[9], 0.0);
  EXPECT_GT(conduction.gain().row(20)[10], 0.0);
}

TEST(Conduction, GainIsWhatTheNewTemperatureHolds) {
  Conduction conduction = hot_spot({0.1, 0.5});
  LoneRank neighbours;
  conduction.step(0.01, neighbours, 1);
  for (const int cell : {3, 9, 10}) {
    const double density = conduction.field(l0::kDensity).row(20)[cell];
    const double heat_before = conduction.field(l0::kEnergy).row(20)[cell] - 0.5 * 0.3 * 0.3 / density;
    const double heat_after = density * kHeatCapacity * conduction.temperature().row(20)[cell];
    EXPECT_NEAR(conduction.gain().row(20)[cell], heat_after - heat_before, 1e-8);
  }
}

TEST(Conduction, DoesNothingWithoutConductivity) {
  Conduction conduction = hot_spot({0.0, 0.0});
  LoneRank neighbours;
  conduction.step(0.01, neighbours, 1);
  EXPECT_EQ(conduction.gain().row(20)[9], 0.0);
}

}  // namespace
}  // namespace twomesh::l1
