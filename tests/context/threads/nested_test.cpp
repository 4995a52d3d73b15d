// SPDX-License-Identifier: BSD-3-Clause
// Where the members of nested OpenMP teams are under a push.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <cstddef>
#include <set>
#include <vector>

#include "context/regions.hpp"
#include "context/threads/held.hpp"
#include "context/threads/process.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::bind_self;
using comity::testing::Cpus;
using comity::testing::cpus_of;
using comity::testing::have_a_core_each;
using comity::testing::ThreadsOnTwoCores;

// In how many regions two members of `outer` teams of `inner` met on one core.
int nested_regions_with_a_shared_core(int regions, int outer, int inner) {
  int shared = 0;
  for (int region = 0; region < regions; ++region) {
    std::vector<int> cpus(static_cast<std::size_t>(outer * inner), -1);
#pragma omp parallel num_threads(outer)
    {
      const int first = omp_get_thread_num() * inner;
#pragma omp parallel num_threads(inner)
      cpus[static_cast<std::size_t>(first + omp_get_thread_num())] = sched_getcpu();
    }
    shared += have_a_core_each(cpus) ? 0 : 1;
  }
  return shared;
}

TEST_F(ThreadsOnTwoCores, OuterMembersOfNestedTeamsHaveACoreEach) {
  omp_set_num_threads(
      team());  // LLVM's counts CPUs at its first use, which may have been on one; the rule goes by this
  bind_self(cpus_of(0).front());
  omp_set_max_active_levels(2);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  EXPECT_EQ(nested_regions_with_a_shared_core(1000, team(), 1), 0);
  context.pop();
  omp_set_max_active_levels(1);
}

// GNU's runtime makes the inner team anew, from its master's mask: that must not be one core.
TEST_F(ThreadsOnTwoCores, NoTwoMembersOfANestedTeamAreConfinedToOneCore) {
  bind_self(cpus_of(0).front());
  omp_set_max_active_levels(2);
  omp_set_num_threads(1);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  std::vector<int> confined_to(static_cast<std::size_t>(team()), -1);
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(team())
  {
    const Cpus mine = cpus_of(0);
    if (mine.size() == 1) confined_to[static_cast<std::size_t>(omp_get_thread_num())] = mine.front();
  }
  std::erase(confined_to, -1);
  EXPECT_EQ(std::set<int>(confined_to.begin(), confined_to.end()).size(), confined_to.size());
  context.pop();
  omp_set_num_threads(cores_);
  omp_set_max_active_levels(1);
}

}  // namespace
