// SPDX-License-Identifier: BSD-3-Clause
// Coupler: the step that L0's program takes into L1, caller-driven or callee-driven.
#pragma once

#include <mpi.h>

#include <memory>

#include "coupling/heat.hpp"
#include "coupling/layout.hpp"
#include "coupling/trace.hpp"

namespace twomesh::coupling {

class Coupler {
 public:
  virtual ~Coupler() = default;
  // Collective. Conduction for `dt`: L0's energy changes in place.
  virtual void conduct(l0::Hydro& hydro, double dt, Trace& trace) = 0;
  // L1 as it stands after at least one conduct().
  [[nodiscard]] virtual Heat& heat() = 0;
};

// Collective over the communicator, which outlives the coupler.
[[nodiscard]] std::unique_ptr<Coupler> make_coupler(MPI_Comm communicator, const LayoutOptions& layout,
                                                    const HeatOptions& heat, const l0::Hydro& hydro);

}  // namespace twomesh::coupling
