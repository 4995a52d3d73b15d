// SPDX-License-Identifier: BSD-3-Clause
// bench-fortran: what a call costs from Fortran, over the same call from C, on one rank.   bench-fortran RECORD
#include <mpi.h>

#include <array>
#include <comity/comity_mpi.hpp>
#include <cstdio>
#include <iterator>

#include "common/line.hpp"
#include "fortran/beside.hpp"
#include "fortran/calls.h"
#include "fortran/communicators.hpp"
#include "fortran/measure.hpp"

namespace {

using bench::Outcome;
using bench::fortran::Case;

// Their numbers in calls.c and calls.f90 are their places here, from 1.
constexpr std::array kCases{Case{"count"},          Case{"size"},          Case{"encloses"}, Case{"cpuset"},
                            Case{"peers_in"},       Case{"distribute"},    Case{"quiesce"},  Case{"region", 2},
                            Case{"binding_string"}, Case{"push_pop", 2},   Case{"assign"},   Case{"place_box"},
                            Case{"cpuset_parse"},   Case{"quiesce_group"}, Case{"phase", 2}, Case{"device"}};

// The last case asks for a network interface, which not every machine has.
int cases_here(const comity::Context& context) {
  const bool has_nic = context.device_count(comity::DeviceKind::nic) > 0;
  return static_cast<int>(kCases.size()) - (has_nic ? 0 : 1);
}

std::vector<Outcome> context_cases(comity::Context& context) {
  const comity::Group group = context.split(0).value();
  std::vector<Outcome> outcomes;
  for (int number = 1; number <= cases_here(context); ++number) {
    outcomes.push_back(bench::fortran::measure(
        kCases[static_cast<std::size_t>(number) - 1],
        [&](int turns) { calls_in_fortran(context.handle(), group.handle(), number, turns); },
        [&](int turns) { calls_in_c(context.handle(), group.handle(), number, turns); }));
  }
  return outcomes;
}

void append(std::vector<Outcome>& all, std::vector<Outcome> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 1 || count != 2) {
    std::fprintf(stderr, "bench-fortran: takes one rank, and a record to read\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  {
    comity::Context context = comity::make_context(MPI_COMM_WORLD);
    context.push(comity::Resource::core, 0);  // what a program has done that asks
    std::vector<Outcome> outcomes = context_cases(context);
    append(outcomes, bench::fortran::communicator_cases(context.handle()));
    append(outcomes, bench::fortran::task_cases());
    append(outcomes, bench::fortran::record_cases(words[1]));
    bench::print(size, 1, outcomes);
  }
  MPI_Finalize();
  return 0;
}
