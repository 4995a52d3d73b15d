// SPDX-License-Identifier: BSD-3-Clause
// L1: implicit heat conduction in the gas that came over from L0. Density and momentum set heat capacity and
// conductivity (faster gas mixes more), energy gives the temperature; what comes out is the energy that each cell
// gained.
#pragma once

#include <array>

#include "l0/gas.hpp"
#include "l1/conjugate_gradients.hpp"
#include "mesh/tiling.hpp"

namespace twomesh::l1 {

struct Material {
  double conductivity = 0.02;  // of gas of density one at rest
  double mixing = 0.5;         // how much a unit of speed adds to it, as a factor
};

class Conduction {
 public:
  // The strips [first, last) of the tiling are local.
  Conduction(const Tiling& tiling, int first, int last, const Material& material, const SolverOptions& options);

  // The conserved fields on the local rows: to be filled before each step.
  [[nodiscard]] RowField& field(int index) { return fields_[static_cast<std::size_t>(index)]; }
  // Energy per volume that the last step added to each cell.
  [[nodiscard]] RowField& gain() { return gain_; }
  [[nodiscard]] RowField& temperature() { return temperature_; }

  // Collective over the neighbourhood: one backward Euler step with so many threads.
  SolveReport step(double dt, Neighbourhood& neighbours, int threads);
  // Collective. |b - A x| / |b| of the last step, computed afresh.
  [[nodiscard]] double true_residual(Neighbourhood& neighbours, int threads);

  [[nodiscard]] const ConjugateGradients& solver() const { return solver_; }

 private:
  void set_material(Team& team);

  Grid grid_;
  Material material_;
  Strips strips_;  // local rows
  int rows_;
  std::array<RowField, l0::kFields> fields_;
  RowField conductivity_, heat_capacity_, temperature_, gain_;
  System system_;
  ConjugateGradients solver_;
};

}  // namespace twomesh::l1
