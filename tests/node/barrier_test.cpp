// SPDX-License-Identifier: BSD-3-Clause
// The barrier of a group between processes.
#include <gtest/gtest.h>

#include "becomes.hpp"
#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"
#include "process_state.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;

class BarrierOfRanks : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, BarrierOfRanks, ::testing::Values(1, 2, 4, 8, 16), ::testing::PrintToStringParamName());

constexpr int kRounds = 10000;

// Each rank counts rounds in a word of its own; behind a barrier all words are equal.
TEST_P(BarrierOfRanks, NobodyLeavesARoundBeforeAllHaveEnteredIt) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    const auto me = static_cast<std::size_t>(group->rank());
    int early = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      job.word(me).store(round, std::memory_order_relaxed);
      group->wait();
      for (int rank = 0; rank < group->size(); ++rank) {
        const std::uint64_t seen = job.word(static_cast<std::size_t>(rank)).load(std::memory_order_relaxed);
        if (seen != round && seen != round + 1) ++early;
      }
    }
    EXPECT_EQ(early, 0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(BarrierOfRanks, ExchangeGivesEachRankTheWordsOfAll) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    std::vector<std::uint64_t> all(static_cast<std::size_t>(group->size()));
    int wrong = 0;
    for (std::uint64_t round = 0; round < 1000; ++round) {
      group->exchange(round * 100 + static_cast<std::uint64_t>(group->rank()), all);
      if (round % 3 == 0) group->wait();
      for (std::size_t rank = 0; rank < all.size(); ++rank) wrong += all[rank] != round * 100 + rank;
    }
    EXPECT_EQ(wrong, 0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(BarrierOfRanks, GroupsOfASplitWaitForTheirOwnMembersOnly) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto all = node->make_group(job);
    const auto mine = all->split(all->rank() % 3);
    EXPECT_EQ(mine->rank(), all->rank() / 3);
    EXPECT_EQ(mine->participant(mine->rank()), node->participant());
    // Different numbers of rounds: a barrier that reached across would hang.
    for (int round = 0; round < 100 * (1 + all->rank() % 3); ++round) mine->wait();
    all->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Barrier, WithoutAColourThereIsNoGroup) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto all = node->make_group(job);
    const auto mine = all->split(all->rank() == 1 ? -1 : 7);
    EXPECT_EQ(mine == nullptr, all->rank() == 1);
    if (!mine) return;
    EXPECT_EQ(mine->size(), 2);
    mine->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Barrier, ATimedOutWaitNamesWhoIsMissingAndCanBeTakenUpAgain) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    if (group->rank() == 0) {
      std::string words;
      EXPECT_EQ(status_of([&] { group->wait(20ms); }, &words), Status::timeout);
      EXPECT_NE(words.find("not there yet: rank 1, 2"), std::string::npos) << words;
      EXPECT_EQ(status_of([&] { group->wait(0ns); }), Status::timeout);
      EXPECT_EQ(status_of([&] { group->wait(-5s); }), Status::timeout);
    }
    static_cast<void>(job.job_max(0));
    group->wait();
    group->wait(10s);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Barrier, TheLongestTimeoutsAreNone) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    for (const Nanoseconds timeout : {Nanoseconds::max(), Nanoseconds::max() - 1ns, Nanoseconds(kNever - now_ns())}) {
      if (group->rank() == 0) {
        EXPECT_EQ(status_of([&] { group->wait(timeout); }), Status::ok) << timeout.count();
        job.word(0).store(1);
      } else {
        // It spins or sleeps, or has come back too early.
        const auto sleeps = [&] { return node->harts().word(0).state() == node::HartState::idle; };
        EXPECT_TRUE(becomes_true([&] { return sleeps() || job.word(0).load() != 0; }));
        EXPECT_EQ(job.word(0).load(), 0U) << "nobody waits";
        EXPECT_EQ(status_of([&] { group->wait(5s); }), Status::ok);
      }
      static_cast<void>(job.job_max(0));
      job.word(0).store(0);
      static_cast<void>(job.job_max(0));
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// Nobody is left to find out at the end of a slice of sleep, which is longer here than they are given.
TEST(Barrier, WhoArrivesLastWakesAllOthersAtOnce) {
  constexpr std::size_t kRanks = 6;
  const auto ends = run_ranks(kRanks, [](ForkBootstrap& job) {
    const auto node = attach(job, {.slice = 1h});
    const auto group = node->make_group(job);
    const auto me = static_cast<std::size_t>(group->rank());
    const auto all_others = [&](const auto& holds) {
      return becomes_true([&] {
        for (std::size_t rank = 1; rank < kRanks; ++rank) {
          if (!holds(rank)) return false;
        }
        return true;
      });
    };
    const auto sleeps = [&](std::size_t rank) {
      return node->harts().word(rank).state() == node::HartState::idle &&
             state_of(node->pid(static_cast<int>(rank))) == 'S';
    };
    EXPECT_TRUE(me != 0 || all_others(sleeps));
    group->wait();
    job.word(me).store(1);
    if (me != 0) return;
    const bool have_left = all_others([&](std::size_t rank) { return job.word(rank).load() != 0; });
    EXPECT_TRUE(have_left);
    for (int rank = 1; !have_left && rank < static_cast<int>(kRanks); ++rank) job.kill_rank(rank);
  });
  EXPECT_TRUE(all_good(ends));
}

// It was there, and has counted itself out again: it is missing like one that never came.
TEST(Barrier, WhoTimedOutAndLeftIsNamedAmongTheMissing) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    for (const int rank : {1, 2, 0}) {
      std::string words;
      const char* const missing = rank == 0 ? ": rank 1, 2;" : rank == 1 ? ": rank 0, 2;" : ": rank 0, 1;";
      if (group->rank() == rank) {
        EXPECT_EQ(status_of([&] { group->wait(1ms); }, &words), Status::timeout);
        EXPECT_NE(words.find(missing), std::string::npos) << words;
      }
      static_cast<void>(job.job_max(0));
    }
    group->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Barrier, LookingOnceSucceedsForTheLastToCome) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    int rounds = 0;
    while (rounds < 200) {
      // Rank 1 only ever looks once; it is through when rank 0 waits.
      const Status end = status_of([&] { group->rank() == 0 ? group->wait() : group->wait(0ns); });
      if (end == Status::ok) ++rounds;
      ASSERT_TRUE(end == Status::ok || end == Status::timeout);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// Withdrawals race with releases: a wait that reports success must have been a round of all.
TEST(Barrier, TimeoutsAtAnyMomentNeverLoseOrInventARound) {
  const auto ends = run_ranks(4, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    const auto me = static_cast<std::size_t>(group->rank());
    int early = 0;
    for (std::uint64_t round = 1; round <= 500; ++round) {
      job.word(me).store(round);
      while (status_of([&] { group->wait(std::chrono::microseconds(me * 30)); }) == Status::timeout) {
      }
      for (std::size_t rank = 0; rank < 4; ++rank) {
        const std::uint64_t seen = job.word(rank).load();
        if (seen != round && seen != round + 1) ++early;
      }
    }
    EXPECT_EQ(early, 0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(Barrier, SleepingMarksMyHartsIdleAndWakingMarksThemHeld) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    if (group->rank() == 1) {
      EXPECT_EQ(node->harts().word(1).state(), node::HartState::held);
      const std::int64_t end_ns = now_ns() + 5'000'000'000;
      while (node->harts().word(0).state() != node::HartState::idle && now_ns() < end_ns) {
      }
      EXPECT_EQ(node->harts().word(0).state(), node::HartState::idle);
    }
    group->wait();
    EXPECT_EQ(node->harts().word(static_cast<std::size_t>(group->rank())).state(), node::HartState::held);
    group->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
