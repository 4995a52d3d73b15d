// SPDX-License-Identifier: BSD-3-Clause
// A wave of density in gas that moves at one speed and pressure: it only moves, so the exact solution is known at all
// times. Sound is slow, so that steps are as long as the wave's speed allows and the error in time counts: with one
// Euler step in place of SSP-RK2's two stages the scheme is of first order here.
#include <cmath>
#include <numbers>

#include "checks/along_x.hpp"

namespace twomesh::checks {
namespace {

constexpr double kSpeed = 1.0, kPressure = 0.01;
constexpr double kEnd = 0.5;
constexpr double kLeastOrder = 1.8;
constexpr double kLargestError = 2e-4;

l0::HydroOptions flat_cells(int cells) {  // so that nothing but the way along x limits the step
  constexpr int kRows = 4;
  l0::HydroOptions options;
  options.grid = {cells, kRows, 1.0, 1.0};
  options.block_nx = 8;
  options.block_ny = kRows;
  return options;
}

double wave(double x) { return 1.0 + 0.2 * std::sin(2.0 * std::numbers::pi * x); }

l0::Primitive initial(double x, double /*y*/) { return {wave(x), kSpeed, 0.0, kPressure}; }

double density_at_the_end(double x) { return wave(x - kSpeed * kEnd); }

}  // namespace

CheckResult check_advection(MPI_Comm communicator, int /*threads*/) {
  return check_along_x(communicator,
                       {"advection", kEnd, flat_cells, initial, density_at_the_end, kLeastOrder, kLargestError});
}

}  // namespace twomesh::checks
