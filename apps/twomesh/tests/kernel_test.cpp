// SPDX-License-Identifier: BSD-3-Clause
#include "l0/kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace twomesh::l0 {
namespace {

template <typename Gas>
Block block_of(const Gas& gas) {
  Block block({0, 12, 0, 9});
  for (int j = -kGhosts; j < block.ny() + kGhosts; ++j) {
    for (int i = -kGhosts; i < block.nx() + kGhosts; ++i) {
      const Primitive state = gas(i, j);
      const std::size_t cell = block.at(i, j);
      block.state[kDensity][cell] = state.density;
      block.state[kMomentumX][cell] = state.density * state.x_velocity;
      block.state[kMomentumY][cell] = state.density * state.y_velocity;
      block.state[kEnergy][cell] = total_energy(state);
    }
  }
  return block;
}

TEST(Kernel, LeavesUniformFlowAlone) {
  Block block = block_of([](int, int) { return Primitive{1.2, 0.7, -0.3, 0.8}; });
  KernelScratch scratch;
  compute_rates(block, block.state, 0.1, 0.2, scratch);
  for (const auto& rate : block.rate) {
    for (int j = 0; j < block.ny(); ++j) {
      for (int i = 0; i < block.nx(); ++i) EXPECT_NEAR(rate[block.at(i, j)], 0.0, 1e-12);
    }
  }
}

TEST(Kernel, TreatsBothDirectionsAlike) {
  const auto hill = [](int a, int b) { return 1.0 + std::exp(-0.1 * (a - 5) * (a - 5) - 0.05 * (b - 4) * (b - 4)); };
  const auto ahead = [](int a, int b) { return 0.4 + 0.2 * std::sin(0.7 * a + 0.4 * b); };
  const auto aside = [](int a, int b) { return 0.1 + 0.2 * std::cos(0.5 * a - 0.6 * b); };
  Block along({0, 10, 0, 10}), turned({0, 10, 0, 10});
  const auto fill = [&](Block& block, bool swap) {
    for (int j = -kGhosts; j < block.ny() + kGhosts; ++j) {
      for (int i = -kGhosts; i < block.nx() + kGhosts; ++i) {
        const int a = swap ? j : i;
        const int b = swap ? i : j;
        const std::size_t cell = block.at(i, j);
        block.state[kDensity][cell] = hill(a, b);
        block.state[kMomentumX][cell] = hill(a, b) * (swap ? aside(a, b) : ahead(a, b));
        block.state[kMomentumY][cell] = hill(a, b) * (swap ? ahead(a, b) : aside(a, b));
        block.state[kEnergy][cell] = 3.0 * hill(a, b) + 0.3 * hill(b, a);
      }
    }
  };
  fill(along, false);
  fill(turned, true);
  KernelScratch scratch;
  compute_rates(along, along.state, 0.1, 0.1, scratch);
  compute_rates(turned, turned.state, 0.1, 0.1, scratch);
  for (int j = 0; j < 10; ++j) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_NEAR(along.rate[kDensity][along.at(i, j)], turned.rate[kDensity][turned.at(j, i)], 1e-11);
      EXPECT_NEAR(along.rate[kMomentumX][along.at(i, j)], turned.rate[kMomentumY][turned.at(j, i)], 1e-11);
      EXPECT_NEAR(along.rate[kMomentumY][along.at(i, j)], turned.rate[kMomentumX][turned.at(j, i)], 1e-11);
      EXPECT_NEAR(along.rate[kEnergy][along.at(i, j)], turned.rate[kEnergy][turned.at(j, i)], 1e-11);
    }
  }
}

TEST(Kernel, KnowsTheFastestWave) {
  const Block block = block_of([](int, int) { return Primitive{1.0, 3.0, -2.0, 1.0}; });
  const double sound = std::sqrt(kGamma);
  EXPECT_NEAR(fastest_wave(block, 0.5, 0.25), (3.0 + sound) / 0.5 + (2.0 + sound) / 0.25, 1e-12);
}

TEST(Kernel, SumsItsCellsAndNotItsGhosts) {
  const Block block = block_of([](int i, int j) {
    const bool inside = i >= 0 && i < 12 && j >= 0 && j < 9;
    return Primitive{inside ? 2.0 : 100.0, 0.0, 0.0, 1.0};
  });
  EXPECT_DOUBLE_EQ(block_sums(block)[kDensity], 2.0 * 12 * 9);
}

}  // namespace
}  // namespace twomesh::l0
