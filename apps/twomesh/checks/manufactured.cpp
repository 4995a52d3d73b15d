// SPDX-License-Identifier: BSD-3-Clause
// Manufactured solution: choose the new temperature T, the density and the momentum, and set the old heat to what
// backward Euler needs to arrive at T exactly: C T_old = C T - dt div(k grad T). What is then missing is the error in
// space.
#include <array>
#include <cmath>
#include <numbers>

#include "checks/check.hpp"
#include "checks/shared_conduction.hpp"

namespace twomesh::checks {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kStep = 0.01;
constexpr l1::Material kMaterial{0.3, 0.5};

double density(double x, double y) { return 1.0 + 0.3 * std::sin(kTurn * x) * std::cos(kTurn * y); }
double temperature(double x, double y) { return 2.0 + std::cos(kTurn * x) * std::sin(kTurn * y); }
// Magnitude of the momentum, which points the same way everywhere.
double momentum(double x, double y) { return 0.5 + 0.2 * std::cos(kTurn * x) * std::sin(kTurn * y); }
constexpr double kAlongX = 0.6, kAlongY = -0.8;

// div(k grad T) with k = conductivity * (density + mixing * momentum).
double heating(double x, double y) {
  const double sx = std::sin(kTurn * x), cx = std::cos(kTurn * x), sy = std::sin(kTurn * y), cy = std::cos(kTurn * y);
  const double mixed = density(x, y) + kMaterial.mixing * momentum(x, y);
  const double mixed_dx = kTurn * (0.3 * cx * cy - kMaterial.mixing * 0.2 * sx * sy);
  const double mixed_dy = kTurn * (-0.3 * sx * sy + kMaterial.mixing * 0.2 * cx * cy);
  const double along_x = mixed_dx * (-kTurn * sx * sy);
  const double along_y = mixed_dy * (kTurn * cx * cy);
  const double spread = mixed * (-2.0 * kTurn * kTurn * cx * sy);
  return kMaterial.conductivity * (along_x + along_y + spread);
}

std::array<double, l0::kFields> gas_before(double x, double y) {
  const double heat = density(x, y) * kHeatCapacity * temperature(x, y) - kStep * heating(x, y);
  const double kinetic = 0.5 * momentum(x, y) * momentum(x, y) / density(x, y);
  return {density(x, y), kAlongX * momentum(x, y), kAlongY * momentum(x, y), heat + kinetic};
}

// Root of the mean squared error of the temperature.
double temperature_error(MPI_Comm communicator, int cells, int threads) {
  const Grid grid{cells, cells};
  SharedConduction shared(communicator, grid, kMaterial, {1e-11, 2000, false}, gas_before);
  shared.conduction.step(kStep, shared.rows, threads);
  std::vector<double> local;
  int row = 0;
  for (int strip = shared.first; strip < shared.last; ++strip) {
    double squared = 0.0;
    for (int end = row + shared.tiling.tiles[static_cast<std::size_t>(strip)].height(); row < end; ++row) {
      for (int i = 0; i < cells; ++i) {
        const double error =
            shared.conduction.temperature().row(row)[i] - temperature(grid.x_centre(i), shared.y_of(row));
        squared += error * error;
      }
    }
    local.push_back(squared);
  }
  double sum = 0.0;
  shared.rows.sum(local, std::span<double>(&sum, 1));
  return std::sqrt(sum) / cells;
}

}  // namespace

CheckResult check_manufactured(MPI_Comm communicator, int threads) {
  constexpr double kLeastOrder = 1.9;
  const std::array<double, 3> errors{temperature_error(communicator, 32, threads),
                                     temperature_error(communicator, 64, threads),
                                     temperature_error(communicator, 128, threads)};
  const double order = std::log2(errors[1] / errors[2]);
  return {"manufactured",
          order >= kLeastOrder,
          {{"error_32", errors[0]},
           {"error_64", errors[1]},
           {"error_128", errors[2]},
           {"order", order},
           {"least_order", kLeastOrder}}};
}

}  // namespace twomesh::checks
