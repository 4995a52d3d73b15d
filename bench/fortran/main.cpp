// SPDX-License-Identifier: BSD-3-Clause
// bench-fortran: what a call costs from Fortran, over the same call from C, on one rank.
#include <mpi.h>

#include <array>
#include <comity/comity_mpi.hpp>
#include <cstdio>
#include <utility>

#include "common/line.hpp"
#include "common/timing.hpp"
#include "fortran/calls.h"
#include "fortran/communicators.hpp"

namespace {

constexpr int kTurns = 1000;  // a loop

struct Case {
  const char* name;
  int calls = 1;  // a turn
};

// Their numbers in calls.c and calls.f90 are their places here, from 1.
constexpr std::array kCases{Case{"count"},          Case{"size"},          Case{"encloses"}, Case{"cpuset"},
                            Case{"peers_in"},       Case{"distribute"},    Case{"quiesce"},  Case{"region", 2},
                            Case{"binding_string"}, Case{"push_pop", 2},   Case{"assign"},   Case{"place_box"},
                            Case{"cpuset_parse"},   Case{"quiesce_group"}, Case{"phase", 2}, Case{"device"}};

bench::Outcome measure(comity_context* context, comity_group* group, int number) {
  const Case& one = kCases[static_cast<std::size_t>(number) - 1];
  bench::Outcome outcome{one.name, "ns", "the same call in C", {}, {}};
  const auto in_fortran = [&] { calls_in_fortran(context, group, number, kTurns); };
  const auto in_c = [&] { calls_in_c(context, group, number, kTurns); };
  bench::alternate(outcome, bench::kBatches, 1, in_fortran, in_c);
  for (double& value : outcome.values) value /= kTurns * one.calls;
  for (double& value : outcome.references) value /= kTurns * one.calls;
  return outcome;
}

// The last case asks for a network interface, which not every machine has.
int cases_here(const comity::Context& context) {
  const bool has_nic = context.device_count(comity::DeviceKind::nic) > 0;
  return static_cast<int>(kCases.size()) - (has_nic ? 0 : 1);
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 1) {
    std::fprintf(stderr, "bench-fortran: takes one rank\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  {
    comity::Context context = comity::make_context(MPI_COMM_WORLD);
    context.push(comity::Resource::core, 0);  // what a program has done that asks
    const comity::Group group = context.split(0).value();
    std::vector<bench::Outcome> outcomes;
    for (int number = 1; number <= cases_here(context); ++number) {
      outcomes.push_back(measure(context.handle(), group.handle(), number));
    }
    for (bench::Outcome& one : bench::fortran::communicator_cases(context.handle())) outcomes.push_back(std::move(one));
    bench::print(size, 1, outcomes);
  }
  MPI_Finalize();
  return 0;
}
