// SPDX-License-Identifier: BSD-3-Clause
// A check: a property of the numerics with the numbers that were measured and whether they are good enough.
// Each runs on all ranks of a communicator and gives the same result on all of them.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twomesh::checks {

struct CheckResult {
  std::string name;
  bool passed = false;
  std::vector<std::pair<std::string, double>> numbers;  // what was measured, then its bounds
};

// A check that can be run by itself, by the name that the command line knows.
struct Check {
  std::string_view name;
  std::string_view summary;
  CheckResult (*run)(MPI_Comm communicator,
                     int threads);  // threads: L1's team where the check has one; at least 1
};

[[nodiscard]] std::span<const Check> all_checks();

// L0 on a periodic domain keeps mass, momentum and energy to rounding.
[[nodiscard]] CheckResult check_conservation(MPI_Comm communicator, int threads);
// Sod's tube against the exact solution: the density's error shrinks with about first order.
[[nodiscard]] CheckResult check_sod(MPI_Comm communicator, int threads);
// A smooth wave that only moves against the exact solution: second order in space and time.
[[nodiscard]] CheckResult check_advection(MPI_Comm communicator, int threads);
// Conjugate gradients: the residual that they claim is the residual.
[[nodiscard]] CheckResult check_residual(MPI_Comm communicator, int threads);
// L1's temperature against a manufactured solution: second order.
[[nodiscard]] CheckResult check_manufactured(MPI_Comm communicator, int threads);
// Remap there and back between all ranks and half of them: totals stay, constants stay.
[[nodiscard]] CheckResult check_remap(MPI_Comm communicator, int threads);
// Coupled steps: each cell's fields arrive in L1 and come back, and a wave of heat decays by the factor that is known.
[[nodiscard]] CheckResult check_coupling(MPI_Comm communicator, int threads);
// Blocks there and back between all ranks and one, half, or all of them: every bit stays.
[[nodiscard]] CheckResult check_migration(MPI_Comm communicator, int threads);

}  // namespace twomesh::checks
