// SPDX-License-Identifier: BSD-3-Clause
// What a context leaves to the process as it was, and what a fork or a taskset does to it.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "context/threads/held.hpp"
#include "context/threads/process.hpp"
#include "node/left_by_llvm.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::bind_self;
using comity::testing::Cpus;
using comity::testing::cpus_of;
using comity::testing::lowest_cpu_of;
using comity::testing::ProcessThreads;
using comity::testing::thread_count_at_rest;
using comity::testing::ThreadsOnTwoCores;

TEST_F(ProcessThreads, FreeingWithoutDescriptorsLeftStillGivesTheBindingBack) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  std::vector<int> taken;
  for (int file = dup(0); file >= 0; file = dup(0)) taken.push_back(file);
  { const Context moved = std::move(context); }
  for (const int file : taken) close(file);
  EXPECT_EQ(cpus_of(0), before_);
}

TEST_F(ProcessThreads, AForkChildCannotMoveItsParent) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  const Cpus pushed = cpus_of(0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool told = comity_context_push(context.handle(), COMITY_MACHINE, 0) == COMITY_ERR_HANDLE &&
                      comity_context_pop(context.handle()) == COMITY_ERR_HANDLE &&
                      comity_context_spread(context.handle(), COMITY_CORE) == COMITY_ERR_HANDLE;
    { const Context freed = std::move(context); }
    _exit(told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  comity::testing::remove_what_llvm_left(child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(cpus_of(0), pushed);
  EXPECT_EQ(context.depth(), 1);
  EXPECT_EQ(context.peers_in(Resource::core, 0, comity::View::live).size(), 1U);
}

TEST_F(ProcessThreads, AForkChildHasContextsOfItsOwnAndTakesNothingFromItsParent) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  for (int child_number = 0; child_number < 150; ++child_number) {  // more than a segment has groups
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      comity_context* own = nullptr;
      const bool works = comity_context_create_local(&own) == COMITY_OK &&
                         comity_context_push(own, COMITY_MACHINE, 0) == COMITY_OK &&
                         comity_context_pop(own) == COMITY_OK && comity_context_free(&own) == COMITY_OK;
      _exit(works ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    comity::testing::remove_what_llvm_left(child);
    ASSERT_EQ(status, 0) << comity_last_error();
  }
  EXPECT_EQ(context.depth(), 1);
  EXPECT_TRUE(context.split(0));
}

TEST_F(ThreadsOnTwoCores, AMaskChangedFromOutsideIsSeenLiveAfterARefresh) {
  Context context = Context::local();
  bind_self(cpus_of(0).front());
  context.refresh();
  for (int core = 0; core < cores_; ++core) {
    EXPECT_EQ(context.peers_in(Resource::core, core, comity::View::live),
              context.peers_in(Resource::core, core, comity::View::published))
        << core;
  }
  EXPECT_EQ(context.peers_in(Resource::core, 0, comity::View::live).size(), 1U);
  EXPECT_TRUE(context.peers_in(Resource::core, cores_ - 1, comity::View::live).empty());
}

// A placed team's first member has one core of the binding, which is none from outside.
TEST_F(ThreadsOnTwoCores, ARefreshUnderATeamsPushFindsTheBindingAsItWasPushed) {
  Context context = Context::local();
  for (int round = 0; round < 3; ++round) {  // placed from inside a region, then by thread id
    context.push(Resource::machine, 0);
    const std::string pushed = context.binding_string();
    context.refresh();
    EXPECT_EQ(context.binding_string(), pushed) << round;
    EXPECT_EQ(context.width().cores, cores_) << round;
    context.pop();
  }
  context.push(Resource::machine, 0);
  const Cpus placed = cpus_of(0);
  const int elsewhere = std::ranges::binary_search(placed, lowest_cpu_of(context, 0)) ? 1 : 0;
  bind_self(lowest_cpu_of(context, elsewhere));
  context.refresh();
  EXPECT_EQ(context.width().cores, 1);
  EXPECT_TRUE(context.encloses(Resource::core, elsewhere));
  context.pop();
  EXPECT_EQ(cpus_of(0), before_);
}

TEST_F(ProcessThreads, ARefusedPushChangesNoThread) {
  Context context = Context::local();
  comity_cpuset beyond{};
  beyond.words[COMITY_CPUSET_CAPACITY / 64 - 1] = 1;
  EXPECT_EQ(comity_context_push_cpuset(context.handle(), &beyond), COMITY_ERR_RANGE);
  EXPECT_EQ(cpus_of(0), before_);
  EXPECT_EQ(context.depth(), 0);
}

TEST_F(ProcessThreads, AContextStartsNoThreadSetsNoSignalAndDrawsNoRandomNumber) {
  const auto signals = [] {
    std::ifstream status("/proc/self/status");
    std::string caught;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigCgt") || line.starts_with("SigIgn") || line.starts_with("SigBlk")) caught += line;
    }
    return caught;
  };
  omp_pause_resource(omp_pause_soft, omp_get_initial_device());  // ends GNU's team, as a phase does
  srand(7);
  const int first = rand();
  srand(7);
  const int threads = thread_count_at_rest();
  const std::string before = signals();
  {
    Context context = Context::local();
    context.quiesce();
    context.push(Resource::core, 0);
    context.pop();
    (void)context.distribute(Resource::core, 1);
    context.quiesce(*context.split(0));
    context.set_smt(comity::Smt::one);
    context.refresh();
    context.set_smt(comity::Smt::all);
    EXPECT_TRUE(context.phase(Resource::core, 1, [] {}));  // one core: no team
    context.spread(Resource::core);
    EXPECT_EQ(thread_count_at_rest(), threads);
    EXPECT_EQ(signals(), before);
  }
  EXPECT_EQ(thread_count_at_rest(), threads);
  EXPECT_EQ(rand(), first);
}

}  // namespace
