// SPDX-License-Identifier: BSD-3-Clause
#include "l0/riemann.hpp"

#include <algorithm>
#include <cmath>

#include "l0/gas.hpp"

namespace twomesh::l0 {
namespace {

double sound_speed(const LineState& gas) { return std::sqrt(kGamma * gas.pressure / gas.density); }

// The velocity that a wave from `side` to pressure p adds, and its derivative.
struct Jump {
  double value, slope;
};

Jump wave_jump(const LineState& side, double p) {
  if (p > side.pressure) {  // shock
    const double a = 2.0 / ((kGamma + 1.0) * side.density);
    const double b = (kGamma - 1.0) / (kGamma + 1.0) * side.pressure;
    const double root = std::sqrt(a / (p + b));
    return {(p - side.pressure) * root, root * (1.0 - 0.5 * (p - side.pressure) / (p + b))};
  }
  const double sound = sound_speed(side);  // rarefaction
  const double ratio = p / side.pressure;
  return {2.0 * sound / (kGamma - 1.0) * (std::pow(ratio, (kGamma - 1.0) / (2.0 * kGamma)) - 1.0),
          std::pow(ratio, -(kGamma + 1.0) / (2.0 * kGamma)) / (side.density * sound)};
}

// Newton's iteration; the function is monotone and concave, so it converges from below.
double solve_pressure(const LineState& left, const LineState& right) {
  const double tiny = 1e-12 * std::min(left.pressure, right.pressure);
  double p = std::max(tiny, 0.5 * (left.pressure + right.pressure));
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Jump from_left = wave_jump(left, p);
    const Jump from_right = wave_jump(right, p);
    const double excess = from_left.value + from_right.value + right.velocity - left.velocity;
    const double next = std::max(tiny, p - excess / (from_left.slope + from_right.slope));
    const bool converged = std::fabs(next - p) <= 1e-14 * next;
    p = next;
    if (converged) break;
  }
  return p;
}

// The state left of the contact on the ray `speed`; the right side is its mirror image.
LineState sample_left(const LineState& side, double star_pressure, double star_velocity, double speed) {
  const double sound = sound_speed(side);
  const double ratio = star_pressure / side.pressure;
  const double gammas = (kGamma - 1.0) / (kGamma + 1.0);
  if (star_pressure > side.pressure) {
    const double shock =
        side.velocity - sound * std::sqrt((kGamma + 1.0) / (2.0 * kGamma) * ratio + (kGamma - 1.0) / (2.0 * kGamma));
    if (speed < shock) return side;
    return {side.density * (ratio + gammas) / (gammas * ratio + 1.0), star_velocity, star_pressure};
  }
  const double star_sound = sound * std::pow(ratio, (kGamma - 1.0) / (2.0 * kGamma));
  if (speed < side.velocity - sound) return side;
  if (speed > star_velocity - star_sound) {
    return {side.density * std::pow(ratio, 1.0 / kGamma), star_velocity, star_pressure};
  }
  const double fan = 2.0 / (kGamma + 1.0) + gammas / sound * (side.velocity - speed);  // local sound speed ratio
  return {side.density * std::pow(fan, 2.0 / (kGamma - 1.0)),
          2.0 / (kGamma + 1.0) * (sound + 0.5 * (kGamma - 1.0) * side.velocity + speed),
          side.pressure * std::pow(fan, 2.0 * kGamma / (kGamma - 1.0))};
}

LineState mirrored(const LineState& gas) { return {gas.density, -gas.velocity, gas.pressure}; }

}  // namespace

ExactRiemann::ExactRiemann(const LineState& left, const LineState& right)
    : left_(left), right_(right), pressure_(solve_pressure(left, right)) {
  velocity_ = 0.5 * (left.velocity + right.velocity) +
              0.5 * (wave_jump(right, pressure_).value - wave_jump(left, pressure_).value);
}

LineState ExactRiemann::sample(double speed) const {
  if (speed <= velocity_) return sample_left(left_, pressure_, velocity_, speed);
  return mirrored(sample_left(mirrored(right_), pressure_, -velocity_, -speed));
}

}  // namespace twomesh::l0
