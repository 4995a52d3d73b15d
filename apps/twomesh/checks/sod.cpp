// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "checks/check.hpp"
#include "l0/hydro.hpp"

namespace twomesh::checks {
namespace {

constexpr double kEnd = 0.2;
constexpr int kRows = 4;
constexpr int kBlock = 16;  // [cells]

// Mean error of the density over the tube, against the exact density at the cells' centres.
double density_error(MPI_Comm communicator, int cells) {
  l0::HydroOptions options;
  options.grid = {cells, kRows, 1.0, static_cast<double>(kRows) / cells};
  options.block_nx = kBlock;
  options.block_ny = kRows;
  options.x_edge = l0::Edge::open;
  l0::Hydro hydro(communicator, options, l0::sod_initial);
  for (double time = 0.0; time < kEnd;) {
    const double dt = std::min(hydro.stable_step(), kEnd - time);
    hydro.step(dt);
    time = kEnd - time <= dt ? kEnd : time + dt;
  }
  std::vector<double> local;
  for (const l0::Block& block : hydro.blocks()) {
    double error = 0.0;
    for (int i = 0; i < block.nx(); ++i) {
      const double exact = l0::sod_density(options.grid.x_centre(block.cells().x0 + i), kEnd);
      error += std::fabs(block.state[l0::kDensity][block.at(i, 0)] - exact);
    }
    local.push_back(error);
  }
  double sum = 0.0;
  parallel::TileOrder(communicator, hydro.ownership()).sum(local, std::span<double>(&sum, 1));
  return sum / cells;
}

}  // namespace

CheckResult check_sod(MPI_Comm communicator, int /*threads*/) {
  constexpr double kLeastOrder = 0.8;  // a contact that is captured, not fitted, keeps the order below one
  constexpr double kLargestError = 0.004;
  const std::array<double, 3> errors{density_error(communicator, 64), density_error(communicator, 128),
                                     density_error(communicator, 256)};
  const double order = 0.5 * std::log2(errors[0] / errors[2]);
  return {"sod",
          order >= kLeastOrder && errors[2] <= kLargestError,
          {{"error_64", errors[0]},
           {"error_128", errors[1]},
           {"error_256", errors[2]},
           {"order", order},
           {"least_order", kLeastOrder},
           {"largest_error_256", kLargestError}}};
}

}  // namespace twomesh::checks
