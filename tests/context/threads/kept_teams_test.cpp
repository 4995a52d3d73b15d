// SPDX-License-Identifier: BSD-3-Clause
// Teams that are kept, or left where they are (comity_context_set_teams).
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstdlib>
#include <utility>

#include "context/regions.hpp"
#include "context/threads/held.hpp"
#include "context/threads/process.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::bind_self;
using comity::testing::cpus_in;
using comity::testing::cpus_of;
using comity::testing::Held;
using comity::testing::kNoOrigins;
using comity::testing::origins_are_known;
using comity::testing::regions_with_a_shared_core;
using comity::testing::thread_count;
using comity::testing::thread_count_at_rest;
using comity::testing::threads_of_team;
using comity::testing::ThreadsOnTwoCores;

// While it lives this process can open no file.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &former_), 0);
    const rlimit none{0, former_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &former_), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit former_{};
};

TEST_F(ThreadsOnTwoCores, WhereTeamsAreKeptMembersHaveACoreEachAndNoneIsStarted) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  bind_self(cpus_of(0).front());
  (void)regions_with_a_shared_core(1, team());  // now the team is there
  const int threads = thread_count_at_rest();
  omp_set_num_threads(team() + 1);  // what a push that starts members would go by
  Context context = Context::local();
  context.set_teams(comity::Teams::keep);
  for (int round = 0; round < 3; ++round) {
    context.push(Resource::machine, 0);
    EXPECT_EQ(thread_count(), threads) << round;
    EXPECT_EQ(regions_with_a_shared_core(20, team()), 0) << round;
    context.pop();
  }
  EXPECT_EQ(thread_count(), threads);
  omp_set_num_threads(team());
}

// What asks where threads begin needs a descriptor.
TEST_F(ThreadsOnTwoCores, MembersHaveACoreEachThoughAnEarlierPushHadNoDescriptorLeft) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  bind_self(cpus_of(0).front());
  (void)regions_with_a_shared_core(1, team());
  (void)thread_count_at_rest();
  Context context = Context::local();
  context.set_teams(comity::Teams::leave);
  context.push(Resource::machine, 0);  // lists the threads
  context.pop();
  context.set_teams(comity::Teams::keep);
  {
    const NoDescriptors none;
    context.push(Resource::machine, 0);
    context.pop();
  }
  context.push(Resource::machine, 0);
  EXPECT_EQ(regions_with_a_shared_core(20, team()), 0);
  context.pop();
}

// In a process of its own: LLVM's members stay for good.
class ThreadsBeforeATeam : public ThreadsOnTwoCores {
 protected:
  void SetUp() override {
    ThreadsOnTwoCores::SetUp();
    if (IsSkipped()) return;
    threads_ = thread_count_at_rest();
    if (threads_ > 1) GTEST_SKIP() << "NOT TESTED: this process has other threads already";
  }

  int threads_ = 0;
};

TEST_F(ThreadsBeforeATeam, WhereTeamsAreKeptOrLeftAPhaseStartsNone) {
  const auto expect_none_from = [&](Context context, const char* what) {
    context.phase(Resource::machine, 1, [&] { EXPECT_EQ(thread_count(), threads_) << what; });
    EXPECT_EQ(thread_count(), threads_) << what;
  };
  for (const comity::Teams teams : {comity::Teams::keep, comity::Teams::leave}) {
    Context context = Context::local();
    context.set_teams(teams);
    expect_none_from(std::move(context), "by the context's own word");
  }
  for (const char* word : {"keep", "leave"}) {
    setenv("COMITY_CONTEXT_OPENMP", word, 1);
    expect_none_from(Context::local(), word);
  }
  unsetenv("COMITY_CONTEXT_OPENMP");
}

TEST_F(ThreadsBeforeATeam, WhereTeamsAreKeptAThreadWithoutOneHasAllOfThePushAndSoHaveThreadsBornUnderIt) {
  bind_self(cpus_of(0).front());
  Context context = Context::local();
  context.set_teams(comity::Teams::keep);
  context.push(Resource::machine, 0);
  EXPECT_EQ(thread_count(), threads_);
  EXPECT_EQ(cpus_of(0), cpus_in(context.cpuset(Resource::machine, 0)));
  Held born([] {});
  EXPECT_EQ(born.mask(), cpus_in(context.cpuset(Resource::machine, 0)));
  context.pop();
}

TEST_F(ThreadsOnTwoCores, WhereTeamsAreLeftAMemberHasAllOfThePush) {
  (void)regions_with_a_shared_core(1, team());
  Context context = Context::local();
  context.set_teams(comity::Teams::leave);
  context.push(Resource::machine, 0);
  for (const pid_t member : threads_of_team(team())) {
    EXPECT_EQ(cpus_of(member), cpus_in(context.cpuset(Resource::machine, 0)));
  }
  context.pop();
}

}  // namespace
