// SPDX-License-Identifier: BSD-3-Clause
// What the first member of a group finds between two barriers counts for all, whoever comes when.
#include "node/precedent.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"

namespace comity {
namespace {

using namespace testing;
using Found = std::optional<CpuSet>;

Found find_what_nobody_asks_for() {
  ADD_FAILURE() << "asked though another member came first";
  return std::nullopt;
}

TEST(Precedent, OfTheFirstMemberCountsInItsTurnAndInLaterOnes) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    const CpuSet five{5, 70, 2047};
    for (int barrier = 0; barrier < 3; ++barrier) {
      if (group->rank() == 0) {
        EXPECT_EQ(group->follow_first([] { return std::nullopt; }), std::nullopt);
        EXPECT_EQ(group->follow_first([&] { return Found(five); }), five);
        EXPECT_EQ(group->follow_first(find_what_nobody_asks_for), five);
      }
      (void)job.job_max(0);
      if (group->rank() == 1) {
        EXPECT_EQ(group->follow_first(find_what_nobody_asks_for), std::nullopt) << "nothing was found in this turn";
        EXPECT_EQ(group->follow_first(find_what_nobody_asks_for), five);
        EXPECT_EQ(group->follow_first(find_what_nobody_asks_for), five);
        EXPECT_EQ(group->follow_first(find_what_nobody_asks_for), five) << "the first one in this turn, too";
      }
      group->wait();
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Precedent, IsNotOverwrittenByWhoWasStillLooking) {
  node::GroupRecord record{};
  node::Precedent precedent(record);
  const CpuSet first{1};
  const auto find_late = [&] {
    EXPECT_EQ(precedent.follow(7, 0, [&] { return Found(first); }), first);
    return Found(CpuSet{2});
  };
  EXPECT_EQ(precedent.follow(7, 0, find_late), first);
  EXPECT_EQ(precedent.follow(7, 0, find_what_nobody_asks_for), first);
}

// Killed before it has decided: nothing is found in this turn, and nobody waits for it for good.
TEST(Precedent, OfAMemberThatDiedInItsMidstIsNone) {
  constexpr std::uint32_t kGeneration = 7;
  node::GroupRecord record{};
  record.finder.store(((std::uint64_t{kGeneration} * 2 + 1) << 32U) | 123U);
  node::Precedent precedent(record);
  EXPECT_EQ(precedent.follow(kGeneration, 0, [] { return Found(CpuSet{2}); }), std::nullopt);
  EXPECT_EQ(precedent.follow(kGeneration + 1, 0, [] { return Found(CpuSet{2}); }), CpuSet{2});
}

// Each finds something else at the same time, or nothing.
TEST(Precedent, IsOneWhoeverComesFirst) {
  constexpr int kRanks = 4;
  const auto ends = run_ranks(kRanks, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    std::vector<std::uint64_t> all(kRanks);
    for (int round = 0; round < 300; ++round) {
      for (int turn = 0; turn < 3; ++turn) {
        const auto mine = static_cast<std::size_t>((round + group->rank()) % 3);
        const Found found = group->follow_first([&] {
          return mine == 0 ? std::nullopt : Found(CpuSet{mine, 500 + mine});
        });
        const std::uint64_t told = found ? found->lowest().value_or(99) : 0;
        if (found) {
          ASSERT_EQ(*found, (CpuSet{told, 500 + told})) << "a half of each";
        }
        if (turn < 2) continue;
        group->exchange(told, all);
        for (const std::uint64_t one : all) ASSERT_EQ(one, told) << round;
      }
    }
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity
