// SPDX-License-Identifier: BSD-3-Clause
#include "checks/check.hpp"

#include <array>

namespace twomesh::checks {

std::span<const Check> all_checks() {
  static constexpr std::array<Check, 8> kChecks{{
      {"conservation", "L0 keeps mass, momentum and energy to rounding", check_conservation},
      {"sod", "L0 against the exact solution of Sod's tube, with its order", check_sod},
      {"advection", "L0 against a smooth wave that only moves, with its order in space and time", check_advection},
      {"residual", "L1's conjugate gradients reach the residual that they claim", check_residual},
      {"manufactured", "L1 against a manufactured solution, with its order", check_manufactured},
      {"remap", "the remap there and back between N and M ranks conserves to 1e-12", check_remap},
      {"coupling", "L0 coupled to L1: every field of every cell there and back, and the decay of one wave of heat",
       check_coupling},
      {"migration", "L0's blocks there and back between N and M ranks keep every bit", check_migration},
  }};
  return kChecks;
}

}  // namespace twomesh::checks
