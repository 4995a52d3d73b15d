// SPDX-License-Identifier: BSD-3-Clause
// What a phase does to the team of the thread that enters it, and leaves behind.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <cstdint>
#include <ctime>
#include <stdexcept>

#include "context/regions.hpp"
#include "context/threads/held.hpp"
#include "context/threads/process.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::bind_self;
using comity::testing::Cpus;
using comity::testing::cpus_of;
using comity::testing::ProcessThreads;
using comity::testing::regions_with_a_shared_core;
using comity::testing::thread_count_at_rest;
using comity::testing::ThreadsOnTwoCores;

TEST_F(ProcessThreads, ThePoolIsPutBackAtThePop) {
  const int home = cpus_of(0).front();
#pragma omp parallel num_threads(team())  // its members may have been elsewhere before, and would be again
  bind_self(home);
  const Cpus narrow = cpus_of(0);
  Context context = Context::local();
  context.push(Resource::machine, 0);
  (void)regions_with_a_shared_core(3, team());
  context.pop();
  EXPECT_EQ(cpus_of(0), narrow);
  int elsewhere = 0;
#pragma omp parallel num_threads(team()) reduction(+ : elsewhere)
  elsewhere += cpus_of(0) == narrow ? 0 : 1;
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(ProcessThreads, APhaseSizesTheTeamToItsObjectAndRestoresTheSize) {
  bind_self(cpus_of(0).front());
  omp_set_num_threads(1);
  Context context = Context::local();
  int size = 0;
  const bool ran = context.phase(Resource::machine, 1, [&] {
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    EXPECT_EQ(regions_with_a_shared_core(100, size), 0);
  });
  EXPECT_TRUE(ran);
  EXPECT_EQ(size, cores_);
  EXPECT_EQ(omp_get_max_threads(), 1);
  omp_set_num_threads(cores_);
}

TEST_F(ThreadsOnTwoCores, TheTeamBurnsNoCoreAfterThePhaseAndComesBackPlaced) {
  (void)thread_count_at_rest();  // members of a team whose thread has ended in a test before go on spinning for a while
  Context context = Context::local();
  const auto cpu_ns = [](clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000L + time.tv_nsec;
  };
  constexpr int kRounds = 20;
  int rounds_burnt = 0;
  for (int round = 0; round < kRounds; ++round) {
    context.phase(Resource::machine, 1, [&] { EXPECT_EQ(regions_with_a_shared_core(20, team()), 0); });
    // Work of this thread alone: what the process burns beyond it is the idle team. GNU's would spin for milliseconds.
    const long process = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    const long mine = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - mine < 5'000'000) {
    }
    const long others = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - process - (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - mine);
    if (others >= 3'000'000L * (team() - 1)) ++rounds_burnt;
  }
  EXPECT_LE(rounds_burnt, kRounds / 4) << "of all rounds; the kernel may count to a member what it did for others";
}

TEST_F(ProcessThreads, WidthLimitsTheTeam) {
  Context context = Context::local();
  int size = 0;
  context.phase(
      Resource::machine, 1,
      [&] {
#pragma omp parallel
#pragma omp single
        size = omp_get_num_threads();
        EXPECT_EQ(context.width().cores, 1);
      },
      1);
  EXPECT_EQ(size, 1);
}

TEST_F(ProcessThreads, AnExceptionOfTheBodyLeavesThePhaseAsItWasEntered) {
  bind_self(cpus_of(0).front());
  const Cpus narrow = cpus_of(0);
  Context context = Context::local();
  EXPECT_THROW(context.phase(Resource::machine, 1, [] { throw std::runtime_error("body"); }), std::runtime_error);
  EXPECT_EQ(cpus_of(0), narrow);
  EXPECT_EQ(context.depth(), 0);
  EXPECT_TRUE(context.phase(Resource::machine, 1, [] {}));
}

TEST_F(ProcessThreads, APhaseEndsWithWhatItsBodyPushedAndDidNotPop) {
  Context context = Context::local();
  EXPECT_THROW(context.phase(Resource::machine, 1,
                             [&] {
                               context.push(Resource::core, 0);
                               throw std::runtime_error("body");
                             }),
               std::runtime_error);
  EXPECT_EQ(context.depth(), 0);
  EXPECT_EQ(cpus_of(0), before_);
  context.push(Resource::core, 0);
  context.phase(Resource::machine, 1, [&] { context.push(Resource::core, 0); });
  EXPECT_EQ(context.depth(), 1);
  context.pop();
}

TEST_F(ProcessThreads, FreeingInsideAPhaseRestoresTheSizeOfTheTeam) {
  omp_set_num_threads(1);
  {
    Context context = Context::local();
    std::int32_t selected = 0;
    ASSERT_EQ(comity_context_enter(context.handle(), COMITY_MACHINE, 1, 0, &selected), COMITY_OK);
    ASSERT_EQ(omp_get_max_threads(), cores_);
  }
  EXPECT_EQ(omp_get_max_threads(), 1);
  EXPECT_EQ(cpus_of(0), before_);
  omp_set_num_threads(cores_);
}

TEST_F(ProcessThreads, AWidePhaseHasNoThreadButTheTeams) {
  (void)regions_with_a_shared_core(1, team());  // now the team is there
  const int threads = thread_count_at_rest();
  Context context = Context::local();
  EXPECT_TRUE(context.phase(Resource::machine, 1, [&] {
    (void)regions_with_a_shared_core(1, team());
    EXPECT_EQ(thread_count_at_rest(), threads);
  }));
  EXPECT_LE(thread_count_at_rest(), threads);  // GNU's members have ended
}

}  // namespace
