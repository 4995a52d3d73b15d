// SPDX-License-Identifier: BSD-3-Clause
#include "quiesce/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace bench::quiesce {
namespace {

constexpr int kColumns = 512;
constexpr int kRowsPerCore = 256;
constexpr int kStripRows = 4;
constexpr int kIterations = 20;    // far from convergence: every unit is full, and no number becomes denormal
constexpr double kTimeStep = 0.5;  // long against the mesh, so that the system is stiff

twomesh::Tiling mesh(int cores) {
  return twomesh::strip_tiling({kColumns, kRowsPerCore * cores, 1.0, 1.0}, kStripRows);
}

twomesh::l1::SolverOptions options() {
  twomesh::l1::SolverOptions options;
  options.tolerance = 0.0;
  options.max_iterations = kIterations;
  return options;
}

}  // namespace

Kernel::Kernel(int cores) : tiling_(mesh(cores)), conduction_(tiling_, 0, tiling_.count(), {}, options()) {
  fill_fields();
}

// A gas at rest with a smooth density and a hot spot: any fields that are not uniform would do.
void Kernel::fill_fields() {
  const twomesh::Grid& grid = tiling_.grid;
  for (int j = 0; j < grid.ny; ++j) {
    const double y = grid.y_centre(j);
    for (int i = 0; i < grid.nx; ++i) {
      const double x = grid.x_centre(i);
      const double spot = std::exp(-50.0 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)));
      conduction_.field(twomesh::l0::kDensity).row(j)[i] = 1.0 + 0.5 * std::sin(2.0 * std::numbers::pi * x);
      conduction_.field(twomesh::l0::kEnergy).row(j)[i] = 1.0 + 10.0 * spot;
    }
  }
}

int Kernel::run(int units, int threads) {
  int ran = threads;
  for (int unit = 0; unit < units; ++unit) {
    const twomesh::l1::SolveReport report = conduction_.step(kTimeStep, neighbours_, threads);
    if (report.iterations != kIterations) {
      throw std::runtime_error("a unit of work converged after " + std::to_string(report.iterations) + " of " +
                               std::to_string(kIterations) + " iterations: the amount of work is not fixed");
    }
    ran = std::min(ran, report.threads);
  }
  return ran;
}

}  // namespace bench::quiesce
