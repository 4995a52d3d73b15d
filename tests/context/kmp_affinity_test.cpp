// SPDX-License-Identifier: BSD-3-Clause
// The slow-down of a static policy under pushed bindings (dissertation, section 3.5): KMP_AFFINITY pins the threads of a pool
// to the CPUs that the process had when the runtime started, here one, whatever was pushed since. Reproduced with LLVM's
// runtime where Comity leaves OpenMP alone, by where members run and how often they make room for one another; gone where it
// places the team. What it costs is printed, and decides nothing: with KMP_USE_YIELD=0 members that wait keep the CPU from
// those that work until the kernel takes it from them. The warning is counted by another test of this program.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "context/regions.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::regions_with_a_shared_core;

constexpr int kRegions = 300;
constexpr int kTimedRegions = 101;
constexpr int kCrowdedRegions = 31;  // each may take a slice of the kernel's time a member
constexpr int kWidestTeam = 3;       // on one CPU a region takes longer by a slice for each more
constexpr int kTurns = 20'000;       // of each member in a timed region: some 7 to 8 us

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
int confined_to(int cpu, int team) {
  int confined = 0;
#pragma omp parallel num_threads(team) reduction(+ : confined)
  {
    cpu_set_t mask;
    const bool alone = sched_getaffinity(0, sizeof(mask), &mask) == 0 && CPU_COUNT(&mask) == 1 && CPU_ISSET(cpu, &mask);
    if (alone && omp_get_thread_num() > 0) ++confined;
  }
  return confined;
}

// In how many of the regions all members of a team but the first ran on `cpu`.
int regions_on(int cpu, int regions, int team) {
  int there = 0;
  for (int region = 0; region < regions; ++region) {
    int members = 0;
#pragma omp parallel num_threads(team) reduction(+ : members)
    if (omp_get_thread_num() > 0 && sched_getcpu() == cpu) ++members;
    there += members == team - 1 ? 1 : 0;
  }
  return there;
}

// How often the calling thread has left its CPU to another.
long switches_of_this_thread() {
  rusage use{};
  EXPECT_EQ(getrusage(RUSAGE_THREAD, &use), 0);
  return use.ru_nvcsw + use.ru_nivcsw;
}

// How often members of a team but the first have left their CPU to another, between the first of the regions and the last.
long switches_in(int regions, int team) {
  long switches = 0;
  for (int region = 0; region < regions; ++region) {
    const int sign = region == 0 ? -1 : region == regions - 1 ? 1 : 0;
#pragma omp parallel num_threads(team) reduction(+ : switches)
    if (sign != 0 && omp_get_thread_num() > 0) switches += sign * switches_of_this_thread();
  }
  return switches;
}

// The median, in microseconds, of regions in which each member has the same work.
double region_time_us(int regions, int team) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times_us;
  for (int region = 0; region < regions; ++region) {
    const auto start = Clock::now();
#pragma omp parallel num_threads(team)
    {
      volatile unsigned sum = 0;
      for (unsigned turn = 0; turn < kTurns; ++turn) sum = sum + turn;
    }
    times_us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  const auto middle = times_us.begin() + regions / 2;
  std::nth_element(times_us.begin(), middle, times_us.end());
  return *middle;
}

// Of a team that has a core for each member.
struct Harm {
  int confined;    // members, to the CPU that the runtime started on
  int on_it;       // of kRegions, in how many all members but the first ran there
  int shared;      // of kRegions, how many had two members on one core
  double time_us;  // a region
};

Harm harm_to(int team, int start_cpu) {
  return {.confined = confined_to(start_cpu, team),
          .on_it = regions_on(start_cpu, kRegions, team),
          .shared = regions_with_a_shared_core(kRegions, team),
          .time_us = region_time_us(kTimedRegions, team)};
}

// Of a team with at least two members on that CPU, as wide teams have many.
struct Crowd {
  int confined;    // members
  long switches;   // of those, in kCrowdedRegions
  double time_us;  // a region
};

Crowd crowd_of(int team, int start_cpu) {
  return {.confined = confined_to(start_cpu, team),
          .switches = switches_in(kCrowdedRegions, team),
          .time_us = region_time_us(kCrowdedRegions, team)};
}

template <typename Measure>
auto under_a_push(const char* setting, const Measure& measure) {
  setenv("COMITY_CONTEXT_OPENMP", setting, 1);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  const auto measured = measure();
  context.pop();
  return measured;
}

TEST(KmpAffinity, KeepsThePoolOnOneCpuUnlessThePushPlacesIt) {
  const int start_cpu = start_runtime_on_one_cpu();
  const int team = std::min(Context::local().count(Resource::core), kWidestTeam);
  if (team < 2) GTEST_SKIP() << "NOT TESTED: one core only, a team of one has no room to lose";
  // One push: the next would reach the members that the runtime has confined by then.
  const auto [leave, crowd] = under_a_push("leave", [&] {
    const Harm harm = harm_to(team, start_cpu);
    return std::pair(harm, crowd_of(team + 1, start_cpu));
  });
  const Harm place = under_a_push("place", [&] { return harm_to(team, start_cpu); });
  std::printf("a region of %d members: leave %.0f us, place %.0f us, %.1f-fold\n", team, leave.time_us, place.time_us,
              leave.time_us / place.time_us);
  std::printf("a region with %d members on one CPU: leave %.0f us, %.1f-fold of those with a core each\n",
              crowd.confined, crowd.time_us, crowd.time_us / place.time_us);
  EXPECT_EQ(leave.confined, team - 1) << "all but the first, which the push has moved: else nothing is reproduced";
  EXPECT_EQ(leave.on_it, kRegions);
  EXPECT_EQ(crowd.confined, team);
  EXPECT_GE(crowd.switches, kCrowdedRegions - 2)
      << "two have one CPU: in each region but the outer ones one makes room";
  EXPECT_EQ(place.confined, 0);
  EXPECT_EQ(place.shared, 0);
}

}  // namespace
