// SPDX-License-Identifier: BSD-3-Clause
// How many members the teams of a phase get: one a core of what the phase pushes, whose siblings they leave alone. On
// simulated machines with SMT: one with a PU a core cannot tell cores from PUs. Built once a runtime (GNU, LLVM).
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdlib>
#include <ostream>

namespace {

using comity::Context;
using comity::Resource;

struct Row {
  const char* machine;  // as hwloc describes it
  Resource type;
  int width;    // [cores] 0: all of the object
  int members;  // expected
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.machine << ", width " << row.width; }

class PhaseTeam : public ::testing::TestWithParam<Row> {};

TEST_P(PhaseTeam, HasAMemberForEachCoreNotForEachPu) {
  setenv("HWLOC_SYNTHETIC", GetParam().machine, 1);
  Context context = Context::local();
  const int before = omp_get_max_threads();
  int granted = 0;
  int members = 0;
  context.phase(
      GetParam().type, 1,
      [&] {
        granted = omp_get_max_threads();
#pragma omp parallel
#pragma omp single
        members = omp_get_num_threads();
      },
      GetParam().width);
  EXPECT_EQ(granted, GetParam().members);
  EXPECT_EQ(members, GetParam().members);
  EXPECT_EQ(omp_get_max_threads(), before);
}

INSTANTIATE_TEST_SUITE_P(SmtMachines, PhaseTeam,
                         ::testing::Values(Row{"core:2 pu:2", Resource::machine, 0, 2},
                                           Row{"package:2 core:2 pu:2", Resource::machine, 0, 4},
                                           Row{"package:2 core:2 pu:2", Resource::package, 0, 2},
                                           Row{"package:2 core:4 pu:2", Resource::machine, 3, 3},
                                           Row{"core:1 pu:4", Resource::machine, 0, 1}));

}  // namespace
