// SPDX-License-Identifier: BSD-3-Clause
// The paper's Example 1 as a test: phases of one rank on the whole machine, after which every rank is where it was.
#pragma once

#include "expect.hpp"

namespace comity::testing {

// Collective. `body` looks at what is wide meanwhile.
template <typename Body>
void expect_one_rank_a_phase(Context& context, Body&& body) {
  constexpr int kSteps = 5;
  const std::string before = context.binding_string();
  int ran = 0;
  for (int step = 0; step < kSteps; ++step) ran += context.phase(Resource::machine, 1, body) ? 1 : 0;
  int total = 0;
  MPI_Allreduce(&ran, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_equal(total, kSteps, "one rank ran each step");
  expect_equal(context.binding_string(), before, "binding after the phases");
}

}  // namespace comity::testing
