// SPDX-License-Identifier: BSD-3-Clause
// The HLLC approximate Riemann flux (Toro, Spruce, Speares 1994) through one face, without branches so that a
// loop over faces vectorises. "Normal" is the direction across the face.
#pragma once

#include <cmath>

#include "l0/gas.hpp"

namespace twomesh::l0 {

struct FaceState {
  double density, normal, tangential, pressure;
};

struct FaceFlux {
  double mass, normal, tangential, energy;
};

[[nodiscard]] inline double smaller(double a, double b) { return a < b ? a : b; }
[[nodiscard]] inline double larger(double a, double b) { return a > b ? a : b; }
// a where the weight is one, b where it is zero, exactly. Not `?:`: compilers make that a branch around the load of the
// value that is not taken, and then the loop over faces does not vectorise.
[[nodiscard]] inline double blend(double weight, double a, double b) { return weight * a + (1.0 - weight) * b; }

[[nodiscard]] inline FaceFlux hllc_flux(const FaceState& left, const FaceState& right) {
  const double left_sound = std::sqrt(kGamma * left.pressure / left.density);
  const double right_sound = std::sqrt(kGamma * right.pressure / right.density);
  const double slowest = smaller(left.normal - left_sound, right.normal - right_sound);
  const double fastest = larger(left.normal + left_sound, right.normal + right_sound);
  const double left_pull = left.density * (slowest - left.normal);
  const double right_pull = right.density * (fastest - right.normal);
  const double contact =
      (right.pressure - left.pressure + left_pull * left.normal - right_pull * right.normal) / (left_pull - right_pull);

  // The side of the contact on which the face lies, and the outer wave of that side where it runs over the face.
  const double on_left = contact >= 0.0 ? 1.0 : 0.0;
  const double density = blend(on_left, left.density, right.density);
  const double normal = blend(on_left, left.normal, right.normal);
  const double tangential = blend(on_left, left.tangential, right.tangential);
  const double pressure = blend(on_left, left.pressure, right.pressure);
  const double outer = blend(on_left, slowest, fastest);
  const double shift = blend(on_left, smaller(slowest, 0.0), larger(fastest, 0.0));

  const double energy = pressure * kHeatCapacity + 0.5 * density * (normal * normal + tangential * tangential);
  const double star_density = density * (outer - normal) / (outer - contact);
  const double star_energy =
      star_density * (energy / density + (contact - normal) * (contact + pressure / (density * (outer - normal))));
  const double mass = density * normal;
  return {mass + shift * (star_density - density), mass * normal + pressure + shift * (star_density * contact - mass),
          mass * tangential + shift * (star_density * tangential - density * tangential),
          normal * (energy + pressure) + shift * (star_energy - energy)};
}

}  // namespace twomesh::l0
