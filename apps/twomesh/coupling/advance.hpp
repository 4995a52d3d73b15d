// SPDX-License-Identifier: BSD-3-Clause
// Advance: L0's part of a coupled step, its gas steps: all on every rank, or, in full-under, the last ones on a few
// ranks while the others rest (003_468943038a8a97cc 6.2.2). Not: how ranks move (Layout).
#pragma once

#include <mpi.h>

#include <memory>

#include "coupling/layout.hpp"
#include "coupling/trace.hpp"
#include "l0/hydro.hpp"

namespace twomesh::coupling {

struct AdvanceOptions {
  int substeps = 1;         // [gas steps] in one coupled step
  int narrow_substeps = 1;  // [gas steps] full-under: how many of them, the last ones, few ranks take
};

class Advance {
 public:
  virtual ~Advance() = default;
  // Collective. The simulated time that the gas steps took, the same on every rank.
  [[nodiscard]] virtual double advance(l0::Hydro& hydro, Trace& trace) = 0;
  // [ranks] 0 where every rank takes every gas step.
  [[nodiscard]] virtual int narrow_ranks() const = 0;
};

// Collective over the communicator, which outlives it. `hydro`: whose blocks will be advanced.
[[nodiscard]] std::unique_ptr<Advance> make_advance(MPI_Comm communicator, const AdvanceOptions& options,
                                                    const LayoutOptions& layout, const l0::Hydro& hydro);

}  // namespace twomesh::coupling
