// SPDX-License-Identifier: BSD-3-Clause
// What pushes and pops write into the hart table and the published mask.
#include "runtime/hart_keeper.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "node/fork_bootstrap.hpp"
#include "node/node_fixture.hpp"

namespace comity::testing {
namespace {

using node::HartState;
using runtime::HartKeeper;

const CpuSet kOwn{0}, kBoth{0, 1}, kNothing;

node::HartWord word(const std::shared_ptr<node::Node>& node, std::size_t hart) { return node->harts().word(hart); }

// Not through the segment, where a wait makes a rank's harts idle.
void meet(ForkBootstrap& job) { (void)job.job_sum(0); }

// Rank 0 pushes while rank 1, which owns hart 1, is where `rank_one` has it; each owns the hart of its number.
void while_rank_one(const std::function<void(const std::shared_ptr<node::Node>&)>& rank_one,
                    const std::function<void(const std::shared_ptr<node::Node>&)>& rank_zero) {
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 1) rank_one(node);
    meet(job);
    if (job.job_rank() == 0) rank_zero(node);
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(HartKeeper, APushTakesTheHartOfASleeperAndAPopGivesItBack) {
  while_rank_one([](const auto& node) { node->fall_asleep(); },
                 [](const auto& node) {
                   HartKeeper keeper;
                   keeper.follow(node, {kNothing, kOwn, kOwn});
                   EXPECT_EQ(word(node, 1).state(), HartState::idle);
                   keeper.binding_changed({kBoth, kBoth, kBoth});
                   EXPECT_EQ(word(node, 1).holder(), 0);
                   EXPECT_EQ(word(node, 1).owner(), 1);
                   EXPECT_EQ(word(node, 1).state(), HartState::lent);
                   EXPECT_EQ(node->published_mask(0), kBoth);
                   keeper.binding_changed({kNothing, kOwn, kOwn});
                   EXPECT_EQ(word(node, 1).holder(), 1);
                   EXPECT_EQ(word(node, 1).state(), HartState::idle);
                   EXPECT_EQ(node->published_mask(0), kOwn);
                 });
}

TEST(HartKeeper, APushAsksForTheHartOfOneThatRunsAndAPopNoLonger) {
  while_rank_one([](const auto&) {},
                 [](const auto& node) {
                   HartKeeper keeper;
                   keeper.follow(node, {kNothing, kOwn, kOwn});
                   keeper.binding_changed({kBoth, kBoth, kBoth});
                   EXPECT_EQ(word(node, 1).holder(), 1);
                   EXPECT_EQ(word(node, 1).wanted(), 1U);
                   keeper.binding_changed({kNothing, kOwn, kOwn});
                   EXPECT_EQ(word(node, 1).wanted(), 0U);
                 });
}

TEST(HartKeeper, WhoFollowsLateOrEndsLeavesTheTableRight) {
  while_rank_one([](const auto& node) { node->fall_asleep(); },
                 [](const auto& node) {
                   {
                     HartKeeper keeper;
                     keeper.follow(node, {kBoth, kBoth, kBoth});  // a segment that comes while a push is in force
                     EXPECT_EQ(word(node, 1).holder(), 0);
                     EXPECT_EQ(node->published_mask(0), kBoth);
                   }
                   EXPECT_EQ(word(node, 1).holder(), 1);
                   EXPECT_EQ(word(node, 1).state(), HartState::idle);
                 });
}

// How `child` ends, which runs in a fork child of this process.
template <typename Child>
int status_of_fork_child(Child&& child) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    child();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status;
}

// It has a copy of the keeper, and the table is shared: a pop there, or its end, is nothing that the parent has done.
TEST(HartKeeper, AForkChildsPopsAndEndLeaveTheParentItsHarts) {
  while_rank_one([](const auto& node) { node->fall_asleep(); },
                 [](const auto& node) {
                   std::optional<HartKeeper> keeper(std::in_place);
                   keeper->follow(node, {kBoth, kBoth, kBoth});
                   const node::HartWord before = word(node, 1);
                   EXPECT_EQ(before.holder(), 0);
                   EXPECT_EQ(status_of_fork_child([&] { keeper->binding_changed({kNothing, kOwn, kOwn}); }), 0);
                   EXPECT_EQ(word(node, 1), before);
                   EXPECT_EQ(status_of_fork_child([&] { keeper.reset(); }), 0);
                   EXPECT_EQ(word(node, 1), before);
                   EXPECT_EQ(node->published_mask(0), kBoth);
                 });
}

TEST(HartKeeper, AForkChildsPopWithdrawsNothingThatTheParentAsksFor) {
  while_rank_one([](const auto&) {},
                 [](const auto& node) {
                   HartKeeper keeper;
                   keeper.follow(node, {kBoth, kBoth, kBoth});
                   EXPECT_EQ(status_of_fork_child([&] { keeper.binding_changed({kNothing, kOwn, kOwn}); }), 0);
                   EXPECT_EQ(word(node, 1).wanted(), 1U);
                 });
}

}  // namespace
}  // namespace comity::testing
