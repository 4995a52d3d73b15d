// SPDX-License-Identifier: BSD-3-Clause
// The paper's Example 1 as a test: phases of one rank on the whole machine, after which every rank is where it was, and so
// is each of its threads.
#pragma once

#include "context/masks.hpp"
#include "expect.hpp"

namespace comity::testing {

constexpr int kPhases = 5;

// Collective. `body` looks at what is wide meanwhile.
template <typename Body>
void expect_one_rank_a_phase(Context& context, Body&& body) {
  const std::string before = context.binding_string();
  const Masks masks = masks_of(threads_of_this_process());
  int ran = 0;
  for (int phase = 0; phase < kPhases; ++phase) {
    ran += context.phase(Resource::machine, 1, body) ? 1 : 0;
    expect_equal(threads_moved_since(masks), 0, "threads that are elsewhere after a phase");
  }
  int total = 0;
  MPI_Allreduce(&ran, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_equal(total, kPhases, "one rank ran each step");
  expect_equal(context.binding_string(), before, "binding after the phases");
}

}  // namespace comity::testing
