// SPDX-License-Identifier: BSD-3-Clause
// Star values: Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, table 4.2 (six digits).
#include "l0/riemann.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "l0/gas.hpp"

namespace twomesh::l0 {
namespace {

void expect_star(const LineState& left, const LineState& right, double pressure, double velocity, double relative) {
  const ExactRiemann exact(left, right);
  EXPECT_NEAR(exact.contact_pressure(), pressure, relative * pressure);
  EXPECT_NEAR(exact.contact_velocity(), velocity, relative * std::max(1.0, std::fabs(velocity)));
}

TEST(ExactRiemann, SolvesSodsTube) { expect_star({1.0, 0.0, 1.0}, {0.125, 0.0, 0.1}, 0.30313, 0.92745, 2e-5); }
TEST(ExactRiemann, SolvesTwoRarefactions) { expect_star({1.0, -2.0, 0.4}, {1.0, 2.0, 0.4}, 0.00189, 0.0, 3e-3); }
TEST(ExactRiemann, SolvesAStrongShock) { expect_star({1.0, 0.0, 1000.0}, {1.0, 0.0, 0.01}, 460.894, 19.5975, 1e-5); }
TEST(ExactRiemann, SolvesTwoShocks) {
  expect_star({5.99924, 19.5975, 460.894}, {5.99242, -6.19633, 46.0950}, 1691.64, 8.68975, 1e-5);
}

TEST(ExactRiemann, KeepsTheStatesFarAway) {
  const LineState left{1.0, 0.0, 1.0}, right{0.125, 0.0, 0.1};
  const ExactRiemann exact(left, right);
  EXPECT_EQ(exact.sample(-10.0).density, left.density);
  EXPECT_EQ(exact.sample(10.0).density, right.density);
}

TEST(ExactRiemann, MirrorsWithItsStates) {
  const ExactRiemann exact({1.0, 0.2, 1.0}, {0.3, -0.1, 0.2});
  const ExactRiemann mirrored({0.3, 0.1, 0.2}, {1.0, -0.2, 1.0});
  for (double speed = -2.0; speed <= 2.0; speed += 0.13) {
    EXPECT_NEAR(exact.sample(speed).density, mirrored.sample(-speed).density, 1e-12);
    EXPECT_NEAR(exact.sample(speed).velocity, -mirrored.sample(-speed).velocity, 1e-12);
  }
}

TEST(ExactRiemann, MeetsTheJumpConditionsAtItsShock) {
  const LineState right{0.125, 0.0, 0.1};
  const ExactRiemann exact({1.0, 0.0, 1.0}, right);
  const LineState behind = exact.sample(exact.contact_velocity() + 1e-9);
  const double shock = (behind.density * behind.velocity) / (behind.density - right.density);  // mass
  const double momentum = behind.density * behind.velocity * behind.velocity + behind.pressure - right.pressure;
  EXPECT_NEAR(momentum, shock * behind.density * behind.velocity, 1e-9);
  EXPECT_NEAR(shock, 1.75216, 1e-5);
}

TEST(ExactRiemann, KeepsTheEntropyOfItsRarefaction) {
  const ExactRiemann exact({1.0, 0.0, 1.0}, {0.125, 0.0, 0.1});
  for (double speed = -1.1; speed < -0.1; speed += 0.1) {
    const LineState gas = exact.sample(speed);
    EXPECT_NEAR(gas.pressure / std::pow(gas.density, kGamma), 1.0, 1e-10);
  }
}

}  // namespace
}  // namespace twomesh::l0
