// SPDX-License-Identifier: BSD-3-Clause
// The coupled run: L0 and L1 by turns, and what is known at its end.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "coupling/advance.hpp"
#include "coupling/coupler.hpp"

namespace twomesh::coupling {

struct SimulationOptions {
  int steps = 10;
  l0::HydroOptions hydro;
  l0::Initial initial;
  HeatOptions heat;
  LayoutOptions layout;
  AdvanceOptions advance;
  Timeline timeline = Timeline::off;
};

struct SimulationResult {
  double simulated_time = 0.0;
  std::vector<StepTimes> step_times;  // critical path
  int narrow_ranks = 0;               // 0: every rank took every gas step
  std::array<double, l0::kFields> totals_before{}, totals_after{};
  Heat::Report heat;
  double round_trip_error = 0.0;
  std::uint64_t fields_checksum = 0;
  std::vector<Span> spans;  // on rank 0
};

// Collective. One step of both libraries; how much time it simulates.
double coupled_step(l0::Hydro& hydro, Advance& gas, Coupler& coupler, Trace& trace);

// Collective. What is known after the last step.
void conclude(SimulationResult& result, l0::Hydro& hydro, Heat& heat, const Trace& trace);

// Collective. `progress(steps done)` is called on every rank after each step. The result is the same on every rank.
[[nodiscard]] SimulationResult simulate(MPI_Comm communicator, const SimulationOptions& options,
                                        const std::function<void(int)>& progress);

}  // namespace twomesh::coupling
