// SPDX-License-Identifier: BSD-3-Clause
// Loops of a case in Fortran and in C, in turn.
#pragma once

#include "common/timing.hpp"

namespace bench::fortran {

constexpr const char* kInC = "the same call in C";
constexpr int kTurns = 1000;  // a loop

struct Case {
  const char* name;
  int calls = 1;  // a turn
};

// Of functions that are called with so many turns.
template <typename InFortran, typename InC>
Outcome measure(const Case& one, InFortran&& in_fortran, InC&& in_c) {
  Outcome outcome{one.name, "ns", kInC, {}, {}};
  alternate(
      outcome, kBatches, 1, [&] { in_fortran(kTurns); }, [&] { in_c(kTurns); });
  for (double& value : outcome.values) value /= kTurns * one.calls;
  for (double& value : outcome.references) value /= kTurns * one.calls;
  return outcome;
}

}  // namespace bench::fortran
