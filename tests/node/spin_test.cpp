// SPDX-License-Identifier: BSD-3-Clause
// How long a wait may spin: as long as a wake-up costs here, and not where somebody else needs the hart.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;

// Not through the segment, where a wait makes a rank's harts idle.
void meet(ForkBootstrap& job) { (void)job.job_sum(0); }

TEST(SpinBudget, IsWhatAWakeUpCosts) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    EXPECT_EQ(node->spin_budget(), 0us) << "none was measured yet";
    node->note_wake(20us);
    EXPECT_EQ(node->spin_budget(), 20us);
    EXPECT_EQ(node->wake_cost(job.job_rank()), 20us);
    node->note_wake(40us);
    EXPECT_GT(node->spin_budget(), 20us) << "it follows what is measured";
    EXPECT_LT(node->spin_budget(), 40us) << "and not each single one";
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(SpinBudget, HasAnEndHoweverDearWakeUpsAre) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    node->note_wake(1s);
    EXPECT_GT(node->spin_budget(), 0us);
    EXPECT_LE(node->spin_budget(), 50us);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(SpinBudget, IsNothingWhileAnotherWantsTheHart) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    node->note_wake(20us);
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(node->harts().hold(1, 0), node::HoldResult::wanted);
    }
    meet(job);
    EXPECT_EQ(node->spin_budget(), job.job_rank() == 0 ? 20us : 0us);
    meet(job);
    if (job.job_rank() == 0) node->harts().withdraw(1);
    meet(job);
    EXPECT_EQ(node->spin_budget(), 20us);
  });
  EXPECT_TRUE(all_good(ends));
}

// A spin that would last for the whole test ends, and the waiter sleeps, once somebody asks for its hart.
TEST(Spin, EndsWhereTheHartIsWantedMeanwhile) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.spin_us = 60'000'000});
    const auto group = node->make_group(job);
    meet(job);
    if (job.job_rank() == 1) {
      group->wait();
      return;
    }
    std::this_thread::sleep_for(20ms);  // by then the other spins, or will with the same end
    const auto start = std::chrono::steady_clock::now();
    node::HoldResult result = node->harts().hold(1, 0);
    while (result == node::HoldResult::wanted && std::chrono::steady_clock::now() - start < 5s) {
      std::this_thread::sleep_for(1ms);
      node->harts().withdraw(1);
      result = node->harts().hold(1, 0);
    }
    EXPECT_EQ(result, node::HoldResult::taken) << "the waiter sleeps, so its hart is to be had";
    if (result == node::HoldResult::taken) node->harts().give_back(1, 0);
    group->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(SpinBudget, IsNothingWhereRanksShareAHart) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [](std::span<const std::byte>) { return node::LocalFacts{.mask = CpuSet{0}, .hart_count = 1}; });
    node->note_wake(20us);
    EXPECT_EQ(node->spin_budget(), 0us);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(SpinBudget, IsTheOptionsWhereThatIsSet) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.spin_us = 7});
    node->note_wake(20us);
    EXPECT_EQ(node->spin_budget(), 7us);
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
