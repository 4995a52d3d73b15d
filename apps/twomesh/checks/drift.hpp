// SPDX-License-Identifier: BSD-3-Clause
// How far totals of the conserved fields moved, against the gas's own scale: mass and energy against themselves,
// momentum against that of all the mass at the speed of all the energy (the total momentum may be zero).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "l0/gas.hpp"
#include "mesh/counted.hpp"

namespace twomesh::checks {

using Totals = std::array<double, l0::kFields>;

inline constexpr double kDriftBound = 1e-12;

struct Drift {
  double mass, momentum, energy;
  [[nodiscard]] double largest() const { return std::max({counted(mass), counted(momentum), counted(energy)}); }
};

[[nodiscard]] inline Drift drift_between(const Totals& before, const Totals& after) {
  const double momentum_scale = std::sqrt(2.0 * before[l0::kDensity] * before[l0::kEnergy]);
  const auto moved = [&](l0::Field field) { return std::fabs(after[field] - before[field]); };
  return {moved(l0::kDensity) / before[l0::kDensity],
          std::max(counted(moved(l0::kMomentumX)), counted(moved(l0::kMomentumY))) / momentum_scale,
          moved(l0::kEnergy) / before[l0::kEnergy]};
}

}  // namespace twomesh::checks
