// SPDX-License-Identifier: BSD-3-Clause
// The slow-down of a static policy under pushed bindings (dissertation, section 3.5): KMP_AFFINITY pins a pool that was made
// under a narrow mask, and each region has all its members on one core. Reproduced with LLVM's runtime where Comity leaves
// OpenMP alone; gone where it places the team. What it costs is printed, and decides nothing. The warning is counted by
// another test of this program.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "context/regions.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::regions_with_a_shared_cpu;

constexpr int kRegions = 300;
constexpr int kTimedRegions = 101;
constexpr int kTurns = 20'000;  // of each member in a timed region: some tens of microseconds

int members() { return Context::local().count(Resource::core); }

// Under the mask of one CPU, as a launcher that binds ranks leaves it: the policy pins the pool there.
void make_pool_on_one_cpu() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(sched_getcpu(), &mask);
  ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
  (void)regions_with_a_shared_cpu(3, members());
}

// The median, in microseconds, of regions in which each member has the same work.
double region_time_us() {
  using Clock = std::chrono::steady_clock;
  const int threads = members();
  std::vector<double> times_us;
  for (int region = 0; region < kTimedRegions; ++region) {
    const auto start = Clock::now();
#pragma omp parallel num_threads(threads)
    {
      volatile unsigned sum = 0;
      for (unsigned turn = 0; turn < kTurns; ++turn) sum = sum + turn;
    }
    times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  const auto middle = times_us.begin() + kTimedRegions / 2;
  std::nth_element(times_us.begin(), middle, times_us.end());
  return *middle;
}

struct Harm {
  int shared;      // of kRegions, how many had two members on one CPU
  double time_us;  // a region
};

Harm under_a_push(const char* setting) {
  setenv("COMITY_CONTEXT_OPENMP", setting, 1);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  const Harm harm{regions_with_a_shared_cpu(kRegions, members()), region_time_us()};
  context.pop();
  return harm;
}

TEST(KmpAffinity, KeepsTheTeamOnOneCoreUnlessThePushPlacesIt) {
  if (members() < 2) GTEST_SKIP() << "NOT TESTED: one core only, a team of one has no room to lose";
  make_pool_on_one_cpu();
  const Harm leave = under_a_push("leave");
  const Harm place = under_a_push("place");
  std::printf("a region of %d members: leave %.0f us, place %.0f us, %.1f-fold\n", members(), leave.time_us,
              place.time_us, leave.time_us / place.time_us);
  EXPECT_EQ(leave.shared, kRegions) << "the policy does no harm here: nothing is reproduced";
  EXPECT_EQ(place.shared, 0);
}

}  // namespace
