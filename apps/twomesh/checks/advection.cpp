// SPDX-License-Identifier: BSD-3-Clause
// A wave of density in gas that moves at one speed and pressure: it only moves, so the exact solution is known at all
// times. Sound is slow, so that steps are as long as the wave's speed allows and the error in time counts: with one
// Euler step in place of SSP-RK2's two stages the scheme is of first order here.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "checks/check.hpp"
#include "l0/hydro.hpp"

namespace twomesh::checks {
namespace {

constexpr double kSpeed = 1.0, kPressure = 0.01;
constexpr double kEnd = 0.5;
constexpr int kRows = 4;
constexpr int kBlock = 8;  // [cells]

double density(double x) { return 1.0 + 0.2 * std::sin(2.0 * std::numbers::pi * x); }

// Mean error of the density at the end, against the exact density at the cells' centres.
double density_error(MPI_Comm communicator, int cells) {
  l0::HydroOptions options;
  options.grid = {cells, kRows, 1.0, 1.0};  // flat cells, so that nothing but the way along x limits the step
  options.block_nx = kBlock;
  options.block_ny = kRows;
  l0::Hydro hydro(communicator, options, [](double x, double /*y*/) {
    return l0::Primitive{density(x), kSpeed, 0.0, kPressure};
  });
  for (double time = 0.0; time < kEnd;) {
    const double dt = std::min(hydro.stable_step(), kEnd - time);
    hydro.step(dt);
    time = kEnd - time <= dt ? kEnd : time + dt;
  }
  std::vector<double> local;
  for (const l0::Block& block : hydro.blocks()) {
    double error = 0.0;
    for (int i = 0; i < block.nx(); ++i) {
      const double exact = density(options.grid.x_centre(block.cells().x0 + i) - kSpeed * kEnd);
      error += std::fabs(block.state[l0::kDensity][block.at(i, 0)] - exact);
    }
    local.push_back(error);
  }
  double sum = 0.0;
  parallel::TileOrder(communicator, hydro.ownership()).sum(local, std::span<double>(&sum, 1));
  return sum / cells;
}

}  // namespace

CheckResult check_advection(MPI_Comm communicator, int /*threads*/) {
  constexpr double kLeastOrder = 1.8;
  constexpr double kLargestError = 2e-4;
  const std::array<double, 3> errors{density_error(communicator, 64), density_error(communicator, 128),
                                     density_error(communicator, 256)};
  const double order = 0.5 * std::log2(errors[0] / errors[2]);
  return {"advection",
          order >= kLeastOrder && errors[2] <= kLargestError,
          {{"error_64", errors[0]},
           {"error_128", errors[1]},
           {"error_256", errors[2]},
           {"order", order},
           {"least_order", kLeastOrder},
           {"largest_error_256", kLargestError}}};
}

}  // namespace twomesh::checks
