// SPDX-License-Identifier: BSD-3-Clause
#include "checks/check.hpp"
#include "checks/drift.hpp"
#include "l0/hydro.hpp"

namespace twomesh::checks {

CheckResult check_conservation(MPI_Comm communicator, int /*threads*/) {
  constexpr int kSteps = 40;
  l0::HydroOptions options;
  options.grid = {64, 64};
  l0::Hydro hydro(communicator, options, l0::problem("blobs"));
  const Totals before = hydro.totals();
  for (int step = 0; step < kSteps; ++step) hydro.step(hydro.stable_step());
  const Drift drift = drift_between(before, hydro.totals());
  return {"conservation",
          drift.largest() <= kDriftBound,
          {{"mass", drift.mass}, {"momentum", drift.momentum}, {"energy", drift.energy}, {"bound", kDriftBound}}};
}

}  // namespace twomesh::checks
