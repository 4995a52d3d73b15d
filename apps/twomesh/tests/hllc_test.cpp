// SPDX-License-Identifier: BSD-3-Clause
#include "l0/hllc.hpp"

#include <gtest/gtest.h>

namespace twomesh::l0 {
namespace {

void expect_flux(const FaceFlux& flux, const FaceFlux& wanted) {
  EXPECT_NEAR(flux.mass, wanted.mass, 1e-14);
  EXPECT_NEAR(flux.normal, wanted.normal, 1e-14);
  EXPECT_NEAR(flux.tangential, wanted.tangential, 1e-14);
  EXPECT_NEAR(flux.energy, wanted.energy, 1e-14);
}

FaceFlux exact_flux(const FaceState& gas) {
  const double energy =
      gas.pressure * kHeatCapacity + 0.5 * gas.density * (gas.normal * gas.normal + gas.tangential * gas.tangential);
  const double mass = gas.density * gas.normal;
  return {mass, mass * gas.normal + gas.pressure, mass * gas.tangential, gas.normal * (energy + gas.pressure)};
}

TEST(Hllc, BetweenEqualStatesIsTheirOwnFlux) {
  for (const double speed : {-3.0, -0.4, 0.0, 0.4, 3.0}) {
    const FaceState gas{1.3, speed, 0.2, 0.9};
    expect_flux(hllc_flux(gas, gas), exact_flux(gas));
  }
}

TEST(Hllc, LetsNothingThroughAStandingContact) {
  const FaceFlux flux = hllc_flux({1.0, 0.0, 0.0, 0.7}, {0.2, 0.0, 0.0, 0.7});
  expect_flux(flux, {0.0, 0.7, 0.0, 0.0});
}

TEST(Hllc, TakesTheUpwindStateOfSupersonicFlow) {
  const FaceState left{1.0, 5.0, 0.3, 1.0}, right{0.5, 5.5, -0.1, 0.8};
  expect_flux(hllc_flux(left, right), exact_flux(left));
}

TEST(Hllc, MirrorsWithItsStates) {
  const FaceState left{1.0, 0.3, 0.5, 1.0}, right{0.4, -0.2, 0.1, 0.3};
  const FaceFlux flux = hllc_flux(left, right);
  const FaceFlux mirrored = hllc_flux({right.density, -right.normal, right.tangential, right.pressure},
                                      {left.density, -left.normal, left.tangential, left.pressure});
  expect_flux(mirrored, {-flux.mass, flux.normal, -flux.tangential, -flux.energy});
}

}  // namespace
}  // namespace twomesh::l0
