// SPDX-License-Identifier: BSD-3-Clause
// The slow-down of a static policy under pushed bindings (dissertation, section 3.5): KMP_AFFINITY pins a pool that was made
// under a narrow mask, and each region has all its members on one core. Reproduced with LLVM's runtime where Comity leaves
// OpenMP alone; gone where it places the team. The warning is counted by another test of this program.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "context/regions.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::regions_with_a_shared_cpu;

constexpr int kRegions = 300;

int members() { return Context::local().count(Resource::core); }

// Under the mask of one CPU, as a launcher that binds ranks leaves it: the policy pins the pool there.
void make_pool_on_one_cpu() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(sched_getcpu(), &mask);
  ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
  (void)regions_with_a_shared_cpu(3, members());
}

int regions_shared_under_a_push(const char* setting) {
  setenv("COMITY_CONTEXT_OPENMP", setting, 1);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  const int shared = regions_with_a_shared_cpu(kRegions, members());
  context.pop();
  return shared;
}

TEST(KmpAffinity, KeepsTheTeamOnOneCoreUnlessThePushPlacesIt) {
  if (members() < 2) GTEST_SKIP() << "NOT TESTED: one core only, a team of one has no room to lose";
  make_pool_on_one_cpu();
  EXPECT_EQ(regions_shared_under_a_push("leave"), kRegions) << "the policy does no harm here: nothing is reproduced";
  EXPECT_EQ(regions_shared_under_a_push("place"), 0);
}

}  // namespace
