// SPDX-License-Identifier: BSD-3-Clause
// The stencil's step, in however many ranks and threads this job has: OMP_NUM_THREADS says how many.
#include <stdexcept>

#include "common/together.hpp"
#include "coop/cases.hpp"
#include "coop/stencil.hpp"

namespace bench::coop {
namespace {

constexpr int kStepsInALoop = 10;

Found steps(const std::string& name, const std::string& reference, const World& world, const Arguments& arguments) {
  if (arguments.units == 0) throw std::runtime_error(name + ": --units is needed; --case stencil_units finds it out");
  Stencil stencil(world, arguments.units);
  for (int i = 0; i < kStepsInALoop; ++i) stencil.step();
  Found found{{}, stencil.checksum()};  // of steps that are as many in each launch
  Outcome outcome{name, "ns", reference, {}, {}};
  repeat_together(outcome, kStepsInALoop, [&] { stencil.step(); });
  found.outcomes.push_back(outcome);
  return found;
}

}  // namespace

Found oversubscribed_stencil(const World& world, const Arguments& arguments) {
  return steps("oversubscribed_stencil", "two ranks, bare MPI", world, arguments);
}

Found crowded_8(const World& world, const Arguments& arguments) {
  return steps("crowded_8", "two ranks, bare MPI", world, arguments);
}

Found hybrid(const World& world, const Arguments& arguments) {
  return steps("hybrid_2x2", "1x2 or 2x1, bare MPI, the better", world, arguments);
}

}  // namespace bench::coop
