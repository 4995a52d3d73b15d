// SPDX-License-Identifier: BSD-3-Clause
// Threads that are born, or pinned by their owner, around pushes.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include "context/threads/masks.hpp"
#include "context/threads/process.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::bind_self;
using comity::testing::equal;
using comity::testing::Held;
using comity::testing::lowest_cpu;
using comity::testing::machine_mask;
using comity::testing::own_mask;
using comity::testing::ProcessThreads;
using comity::testing::ThreadsOnTwoCores;

TEST_F(ThreadsOnTwoCores, AThreadBornUnderAnInnerPushGetsTheOuterBindingBack) {
  Context context = Context::local();
  context.push(Resource::machine, 0);  // places the team: this thread is pinned to one core
  context.push(Resource::core, 1);
  Held thread([] {});
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), machine_mask(context)));
  context.pop();
}

TEST_F(ThreadsOnTwoCores, AThreadBornSinceTheLastPushIsReachedByTheNext) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  context.pop();
  Held thread([] {});
  context.push(Resource::core, 1);
  const cpu_set_t pushed = own_mask();
  EXPECT_TRUE(equal(thread.mask(), pushed));
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), before_));
}

TEST_F(ProcessThreads, AThreadBornUnderAPushGetsTheProcessMaskAtThePop) {
  Context context = Context::local();
  context.push(Resource::core, 0);
  Held thread([] {});
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), before_));
}

TEST_F(ThreadsOnTwoCores, AThreadThatItsOwnerPinnedGetsItsOwnMaskBack) {
  const int pinned_to = lowest_cpu();
  Held thread([&] { bind_self(pinned_to); });
  const cpu_set_t pinned = thread.mask();
  Context context = Context::local();
  context.push(Resource::core, 1);
  EXPECT_FALSE(equal(thread.mask(), pinned));
  context.pop();
  EXPECT_TRUE(equal(thread.mask(), pinned));
}

TEST_F(ThreadsOnTwoCores, TheLastFreeGivesEveryThreadItsMaskBack) {
  const int pinned_to = lowest_cpu();
  Held thread([&] { bind_self(pinned_to); });
  const cpu_set_t pinned = thread.mask();
  {
    Context context = Context::local();
    context.push(Resource::core, 1);
    context.push(Resource::machine, 0);
  }
  EXPECT_TRUE(equal(thread.mask(), pinned));
  EXPECT_TRUE(equal(own_mask(), before_));
}

}  // namespace
