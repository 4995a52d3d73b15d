// SPDX-License-Identifier: BSD-3-Clause
#include "l0/problems.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "l0/riemann.hpp"

namespace twomesh::l0 {
namespace {

constexpr std::array<std::string_view, 3> kNames{"blobs", "blast", "wave"};
constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr LineState kSodLeft{1.0, 0.0, 1.0};
constexpr LineState kSodRight{0.125, 0.0, 0.1};

// A smooth hill of height one that is periodic on the unit square.
double hill(double x, double y, double centre_x, double centre_y, double sharpness) {
  const double along_x = std::sin(0.5 * kTurn * (x - centre_x));
  const double along_y = std::sin(0.5 * kTurn * (y - centre_y));
  return std::exp(-sharpness * (along_x * along_x + along_y * along_y));
}

Primitive blobs(double x, double y) {
  const double heat =
      2.0 * hill(x, y, 0.30, 0.35, 30.0) + 1.2 * hill(x, y, 0.72, 0.60, 60.0) + 0.8 * hill(x, y, 0.55, 0.15, 90.0);
  const double density = 1.0 + 0.3 * std::sin(kTurn * x) * std::cos(kTurn * y);
  return {density, 0.4 * std::sin(kTurn * y), 0.2 * std::sin(kTurn * x), 1.0 + heat};
}

Primitive blast(double x, double y) { return {1.0, 0.0, 0.0, 1.0 + 9.0 * hill(x, y, 0.5, 0.5, 80.0)}; }

Primitive wave(double x, double y) { return {1.0 + 0.2 * std::sin(kTurn * (x + y)), 0.5, 0.5, 1.0}; }

}  // namespace

std::span<const std::string_view> problem_names() { return kNames; }

Initial problem(std::string_view name) {
  if (name == "blast") return blast;
  if (name == "wave") return wave;
  return blobs;
}

Primitive sod_initial(double x, double /*y*/) {
  const LineState& side = x < 0.5 ? kSodLeft : kSodRight;
  return {side.density, side.velocity, 0.0, side.pressure};
}

double sod_density(double x, double time) {
  static const ExactRiemann exact(kSodLeft, kSodRight);
  return exact.sample((x - 0.5) / time).density;
}

}  // namespace twomesh::l0
