// SPDX-License-Identifier: BSD-3-Clause
// The ideal gas that both meshes describe: p = rho T, e = T / (gamma - 1) per unit mass.
#pragma once

namespace twomesh {

inline constexpr double kGamma = 1.4;
inline constexpr double kHeatCapacity = 1.0 / (kGamma - 1.0);  // per unit mass at constant volume

}  // namespace twomesh

namespace twomesh::l0 {

// Conserved fields in the order in which every array of fields stores them.
enum Field : int { kDensity = 0, kMomentumX = 1, kMomentumY = 2, kEnergy = 3 };
inline constexpr int kFields = 4;

struct Primitive {
  double density = 1.0, x_velocity = 0.0, y_velocity = 0.0, pressure = 1.0;
};

[[nodiscard]] inline double total_energy(const Primitive& gas) {
  return gas.pressure * kHeatCapacity +
         0.5 * gas.density * (gas.x_velocity * gas.x_velocity + gas.y_velocity * gas.y_velocity);
}

}  // namespace twomesh::l0
