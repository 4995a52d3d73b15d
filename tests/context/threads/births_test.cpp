// SPDX-License-Identifier: BSD-3-Clause
// Threads that are born, or pinned by their owner, around pushes.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include "context/threads/held.hpp"
#include "context/threads/process.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::bind_self;
using comity::testing::Cpus;
using comity::testing::cpus_in;
using comity::testing::cpus_of;
using comity::testing::Held;
using comity::testing::ProcessThreads;
using comity::testing::ThreadsOnTwoCores;

TEST_F(ThreadsOnTwoCores, AThreadBornUnderAnInnerPushGetsTheOuterBindingBack) {
  Context context = Context::local();
  context.push(Resource::machine, 0);  // places the team: this thread is pinned to one core
  context.push(Resource::core, 1);
  Held thread([] {});
  context.pop();
  EXPECT_EQ(thread.mask(), cpus_in(context.cpuset(Resource::machine, 0)));
  context.pop();
}

TEST_F(ThreadsOnTwoCores, AThreadBornSinceTheLastPushIsReachedByTheNext) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  context.pop();
  Held thread([] {});
  context.push(Resource::core, 1);
  const Cpus pushed = cpus_of(0);
  EXPECT_EQ(thread.mask(), pushed);
  context.pop();
  EXPECT_EQ(thread.mask(), before_);
}

TEST_F(ProcessThreads, AThreadBornUnderAPushGetsTheProcessMaskAtThePop) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  Held thread([] {});
  context.pop();
  EXPECT_EQ(thread.mask(), before_);
}

TEST_F(ThreadsOnTwoCores, AThreadThatItsOwnerPinnedGetsItsOwnMaskBack) {
  const int pinned_to = cpus_of(0).front();
  Held thread([&] { bind_self(pinned_to); });
  const Cpus pinned = thread.mask();
  Context context = Context::local();
  context.push(Resource::core, 1);
  EXPECT_NE(thread.mask(), pinned);
  context.pop();
  EXPECT_EQ(thread.mask(), pinned);
}

TEST_F(ThreadsOnTwoCores, TheLastFreeGivesEveryThreadItsMaskBack) {
  const int pinned_to = cpus_of(0).front();
  Held thread([&] { bind_self(pinned_to); });
  const Cpus pinned = thread.mask();
  {
    Context context = Context::local();
    context.push(Resource::core, 1);
    context.push(Resource::machine, 0);
  }
  EXPECT_EQ(thread.mask(), pinned);
  EXPECT_EQ(cpus_of(0), before_);
}

}  // namespace
