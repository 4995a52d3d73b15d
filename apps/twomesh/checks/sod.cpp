// SPDX-License-Identifier: BSD-3-Clause
#include "checks/along_x.hpp"

namespace twomesh::checks {
namespace {

constexpr double kEnd = 0.2;
constexpr double kLeastOrder = 0.8;  // a contact that is captured, not fitted, keeps the order below one
constexpr double kLargestError = 0.004;

l0::HydroOptions tube(int cells) {
  constexpr int kRows = 4;
  l0::HydroOptions options;
  options.grid = {cells, kRows, 1.0, static_cast<double>(kRows) / cells};
  options.block_nx = 16;
  options.block_ny = kRows;
  options.x_edge = l0::Edge::open;
  return options;
}

double density_at_the_end(double x) { return l0::sod_density(x, kEnd); }

}  // namespace

CheckResult check_sod(MPI_Comm communicator, int /*threads*/) {
  return check_along_x(communicator,
                       {"sod", kEnd, tube, l0::sod_initial, density_at_the_end, kLeastOrder, kLargestError});
}

}  // namespace twomesh::checks
