// SPDX-License-Identifier: BSD-3-Clause
#include "checks/along_x.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace twomesh::checks {
namespace {

void run_to_the_end(l0::Hydro& hydro, double end) {
  for (double time = 0.0; time < end;) {
    const double dt = std::min(hydro.stable_step(), end - time);
    hydro.step(dt);
    time = end - time <= dt ? end : time + dt;
  }
}

// Mean error of the density at the end, against the exact density at the cells' centres.
double density_error(MPI_Comm communicator, const AlongX& problem, int cells) {
  const l0::HydroOptions options = problem.options(cells);
  l0::Hydro hydro(communicator, options, problem.initial);
  run_to_the_end(hydro, problem.end);
  std::vector<double> local;
  for (const l0::Block& block : hydro.blocks()) {
    double error = 0.0;
    for (int i = 0; i < block.nx(); ++i) {
      const double exact = problem.density(options.grid.x_centre(block.cells().x0 + i));
      error += std::fabs(block.state[l0::kDensity][block.at(i, 0)] - exact);
    }
    local.push_back(error);
  }
  double sum = 0.0;
  parallel::TileOrder(communicator, hydro.ownership()).sum(local, std::span<double>(&sum, 1));
  return sum / cells;
}

}  // namespace

CheckResult check_along_x(MPI_Comm communicator, const AlongX& problem) {
  const std::array<double, 3> errors{density_error(communicator, problem, 64),
                                     density_error(communicator, problem, 128),
                                     density_error(communicator, problem, 256)};
  const double order = 0.5 * std::log2(errors[0] / errors[2]);
  return {problem.name,
          order >= problem.least_order && errors[2] <= problem.largest_error,
          {{"error_64", errors[0]},
           {"error_128", errors[1]},
           {"error_256", errors[2]},
           {"order", order},
           {"least_order", problem.least_order},
           {"largest_error_256", problem.largest_error}}};
}

}  // namespace twomesh::checks
