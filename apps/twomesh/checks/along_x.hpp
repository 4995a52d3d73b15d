// SPDX-License-Identifier: BSD-3-Clause
// L0 on problems that vary along x alone and whose density at the end is known: how far the scheme is from it, and how
// fast that shrinks with the cells.
#pragma once

#include "checks/check.hpp"
#include "l0/hydro.hpp"

namespace twomesh::checks {

struct AlongX {
  const char* name;
  double end;                              // [time]
  l0::HydroOptions (*options)(int cells);  // of a mesh of so many cells along x
  l0::Primitive (*initial)(double x, double y);
  double (*density)(double x);  // at the end
  double least_order;
  double largest_error;  // mean over 256 cells
};

[[nodiscard]] CheckResult check_along_x(MPI_Comm communicator, const AlongX& problem);

}  // namespace twomesh::checks
