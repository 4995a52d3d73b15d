// SPDX-License-Identifier: BSD-3-Clause
// The slow-down of a static policy under pushed bindings (dissertation, section 3.5): KMP_AFFINITY pins the threads of a pool
// to the CPUs that the process had when the runtime started, here one, whatever was pushed since. Reproduced with LLVM's
// runtime where Comity leaves OpenMP alone; gone where it places the team. What it costs is printed, and decides nothing.
// The warning is counted by another test of this program.
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
constexpr int kTurns = 20'000;  // of each member in a timed region: some 7 to 8 us

int members() { return Context::local().count(Resource::core); }

// Under the mask of one CPU, as a launcher that binds ranks leaves it. Returns which.
int start_runtime_on_one_cpu() {
  const int cpu = sched_getcpu();
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  EXPECT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
  (void)omp_get_max_threads();
  return cpu;
}

// How many members of a team but the first may run nowhere but on `cpu`.
int confined_to(int cpu) {
  int confined = 0;
#pragma omp parallel num_threads(members()) reduction(+ : confined)
  {
    cpu_set_t mask;
    const bool alone = sched_getaffinity(0, sizeof(mask), &mask) == 0 && CPU_COUNT(&mask) == 1 && CPU_ISSET(cpu, &mask);
    if (alone && omp_get_thread_num() > 0) ++confined;
  }
  return confined;
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
  int confined;    // members, to the CPU that the runtime started on
  int shared;      // of kRegions, how many had two members on one CPU
  double time_us;  // a region
};

Harm under_a_push(const char* setting, int start_cpu) {
  setenv("COMITY_CONTEXT_OPENMP", setting, 1);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  const Harm harm{confined_to(start_cpu), regions_with_a_shared_cpu(kRegions, members()), region_time_us()};
  context.pop();
  return harm;
}

TEST(KmpAffinity, KeepsThePoolOnOneCpuUnlessThePushPlacesIt) {
  const int start_cpu = start_runtime_on_one_cpu();
  if (members() < 2) GTEST_SKIP() << "NOT TESTED: one core only, a team of one has no room to lose";
  const Harm leave = under_a_push("leave", start_cpu);
  const Harm place = under_a_push("place", start_cpu);
  std::printf("a region of %d members: leave %.0f us, place %.0f us, %.1f-fold\n", members(), leave.time_us,
              place.time_us, leave.time_us / place.time_us);
  EXPECT_EQ(leave.confined, members() - 1) << "all but the first, which the push has moved: else nothing is reproduced";
  EXPECT_EQ(place.confined, 0);
  EXPECT_EQ(place.shared, 0);
}

}  // namespace
