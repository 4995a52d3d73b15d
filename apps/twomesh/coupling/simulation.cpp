// SPDX-License-Identifier: BSD-3-Clause
#include "coupling/simulation.hpp"

#include <comity/comity.hpp>

namespace twomesh::coupling {

double coupled_step(l0::Hydro& hydro, Advance& gas, Coupler& coupler, Trace& trace) {
  trace.begin_step();
  const double dt = [&] {
    const comity::Region region("l0");
    return gas.advance(hydro, trace);
  }();
  trace.mark(Mark::l0_done);
  coupler.conduct(hydro, dt, trace);
  return dt;
}

void conclude(SimulationResult& result, l0::Hydro& hydro, Heat& heat, const Trace& trace) {
  result.step_times = trace.critical_path();
  result.spans = trace.gather_spans();
  result.totals_after = hydro.totals();
  result.round_trip_error = heat.round_trip_error(hydro);
  result.heat = heat.report();
  result.fields_checksum = hydro.checksum();
}

SimulationResult simulate(MPI_Comm communicator, const SimulationOptions& options,
                          const std::function<void(int)>& progress) {
  l0::Hydro hydro(communicator, options.hydro, options.initial);
  const std::unique_ptr<Coupler> coupler = make_coupler(communicator, options.layout, options.heat, hydro);
  const std::unique_ptr<Advance> gas = make_advance(communicator, options.advance, options.layout, hydro);
  SimulationResult result;
  result.totals_before = hydro.totals();
  Trace trace(communicator, options.timeline);
  for (int step = 0; step < options.steps; ++step) {
    result.simulated_time += coupled_step(hydro, *gas, *coupler, trace);
    progress(step + 1);
  }
  result.narrow_ranks = gas->narrow_ranks();
  conclude(result, hydro, coupler->heat(), trace);
  return result;
}

}  // namespace twomesh::coupling
