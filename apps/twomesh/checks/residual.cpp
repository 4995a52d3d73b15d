// SPDX-License-Identifier: BSD-3-Clause
#include "checks/check.hpp"
#include "checks/shared_conduction.hpp"
#include "l0/problems.hpp"

namespace twomesh::checks {
namespace {

std::array<double, l0::kFields> blobs(double x, double y) {
  static const l0::Initial initial = l0::problem("blobs");
  const l0::Primitive gas = initial(x, y);
  return {gas.density, gas.density * gas.x_velocity, gas.density * gas.y_velocity, l0::total_energy(gas)};
}

}  // namespace

CheckResult check_residual(MPI_Comm communicator, int threads) {
  constexpr double kTolerance = 1e-10;
  SharedConduction shared(communicator, {96, 96}, {0.1, 0.5}, {kTolerance, 1000, false}, blobs);
  const l1::SolveReport report = shared.conduction.step(0.01, shared.rows, threads);
  const double residual = shared.conduction.true_residual(shared.rows, threads);
  // The recurrence and the true residual part by rounding, far below the tolerance.
  return {"residual",
          report.relative_residual <= kTolerance && residual <= 1.01 * kTolerance,
          {{"claimed", report.relative_residual},
           {"measured", residual},
           {"iterations", static_cast<double>(report.iterations)},
           {"bound", kTolerance}}};
}

}  // namespace twomesh::checks
