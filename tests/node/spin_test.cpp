// SPDX-License-Identifier: BSD-3-Clause
// How long a wait may spin: as long as a wake-up costs here, and not where somebody else needs the hart.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "becomes.hpp"
#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"
#include "os/kernel.hpp"

namespace comity::testing {
namespace {

using namespace std::chrono_literals;
using node::HartState;

// Not through the segment, where a wait makes a rank's harts idle.
void meet(ForkBootstrap& job) { (void)job.job_sum(0); }

bool somebody_waits(const node::Node& node) {
  for (std::size_t slot = 0; slot < node.segment().slots(); ++slot) {
    if (node::BarrierWord(node.segment().group(slot).word.load()).arrived() > 0) return true;
  }
  return false;
}

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

// What sets the budget where no option does: only a sleep that ended by a wake-up tells what one costs.
TEST(SpinBudget, ComesFromWaitsThatHaveSlept) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    const auto group = node->make_group(job);
    EXPECT_EQ(node->wake_cost(1), 0us);
    bool measured = false;
    for (int round = 0; round < 1000 && !measured; ++round) {
      if (job.job_rank() == 0) {
        EXPECT_TRUE(hart_becomes(HartState::idle, *node, 1)) << "with no budget it sleeps at once";
        std::this_thread::sleep_for(1ms);  // it marks its hart, then sleeps
      }
      group->wait();
      measured = job.job_sum(node->wake_cost(1).count()) > 0;
    }
    EXPECT_TRUE(measured);
    if (job.job_rank() == 1) {
      EXPECT_EQ(node->spin_budget(), std::min<Nanoseconds>(node->wake_cost(1), 50us));
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// Who is late in looking sees a longer spin, never a shorter one.
TEST(Spin, HoldsTheHartForItsWholeBudgetAndThenLeavesIt) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.spin_us = 200'000});
    const auto group = node->make_group(job);
    if (job.job_rank() == 1) {
      job.word(0).store(static_cast<std::uint64_t>(now_ns()));
    } else {
      EXPECT_TRUE(hart_becomes(HartState::idle, *node, 1));
      EXPECT_GE(Nanoseconds(now_ns() - static_cast<std::int64_t>(job.word(0).load())), 200ms);
    }
    group->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

// The spin would last for the whole test.
TEST(Spin, EndsWhereTheHartIsWantedMeanwhileAndNotBefore) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.spin_us = 60'000'000});
    const auto group = node->make_group(job);
    if (job.job_rank() == 0) {
      EXPECT_TRUE(becomes_true([&] { return somebody_waits(*node); }));
      for (const std::int64_t end_ns = now_ns() + 20'000'000; now_ns() < end_ns;) {
        ASSERT_EQ(node->harts().word(1).state(), HartState::held) << "nobody else wants it";
        std::this_thread::sleep_for(1ms);
      }
      EXPECT_EQ(node->harts().hold(1, 0), node::HoldResult::wanted);
      EXPECT_TRUE(hart_becomes(HartState::idle, *node, 1));
      node->harts().withdraw(1);
      EXPECT_EQ(node->harts().hold(1, 0), node::HoldResult::taken) << "the waiter sleeps, so its hart is to be had";
      node->harts().give_back(1, 0);
    }
    group->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

// The spin alone would outlive the watchdog.
TEST(Spin, EndsWhereTheTimeGivenIsOver) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job, {.spin_us = 1'000'000'000});
    const auto group = node->make_group(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(status_of([&] { group->wait(1ms); }), Status::timeout);
    }
    meet(job);
    EXPECT_EQ(status_of([&] { group->wait(); }), Status::ok);
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
    meet(job);  // who leaves no longer asks for the hart
  });
  EXPECT_TRUE(all_good(ends));
}

// Each rank starts on `home` and is then pushed to `place`, of a machine with four harts.
void expect_room_after_pushes(const std::array<CpuSet, 2>& home, const std::array<CpuSet, 2>& place, bool room) {
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    const auto me = static_cast<std::size_t>(job.job_rank());
    const auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [&](std::span<const std::byte>) { return node::LocalFacts{.mask = home[me], .hart_count = 4}; });
    node->note_wake(20us);
    for (std::size_t first = 0; first < 2; ++first) {  // whoever comes first
      const Nanoseconds before = node->spin_budget();
      meet(job);
      if (me == first) node->claim_harts(place[me], place[me]);
      meet(job);
      if (me != first) node->claim_harts(place[me], place[me]);
      meet(job);
      EXPECT_EQ(node->spin_budget(), room ? 20us : 0us) << "first " << first;
      EXPECT_EQ(node->hart_is_wanted(), !room);
      meet(job);
      node->claim_harts(CpuSet(), home[me]);
      meet(job);
      EXPECT_EQ(node->spin_budget(), before) << "as before the pushes";
      meet(job);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// A launcher that counts cores the other way round.
TEST(SpinBudget, IsThereWhereEachHasBeenPushedToTheHartOfTheOther) {
  expect_room_after_pushes({CpuSet{0}, CpuSet{1}}, {CpuSet{1}, CpuSet{0}}, true);
}

TEST(SpinBudget, IsThereWhereRanksOnOneHartHaveBeenSpread) {
  expect_room_after_pushes({CpuSet{0}, CpuSet{0}}, {CpuSet{0}, CpuSet{1}}, true);
  expect_room_after_pushes({CpuSet{0}, CpuSet{0}}, {CpuSet{2}, CpuSet{1}}, true);
}

// Where SMT siblings have neighbouring numbers the harts of one mask are dealt across cores.
TEST(SpinBudget, IsThereWhereRanksOnOneMaskHaveBeenSpreadOverCoresWithTwoHarts) {
  const CpuSet all = CpuSet::first(4);
  expect_room_after_pushes({all, all}, {CpuSet{0, 1}, CpuSet{2, 3}}, true);
  expect_room_after_pushes({all, all}, {CpuSet{2, 3}, CpuSet{0, 1}}, true);
}

TEST(SpinBudget, IsNothingWhereRanksHaveBeenPushedToOneHart) {
  expect_room_after_pushes({CpuSet{0}, CpuSet{1}}, {CpuSet{0}, CpuSet{0}}, false);
  expect_room_after_pushes({CpuSet{0}, CpuSet{1}}, {CpuSet{3}, CpuSet{3}}, false);
}

TEST(SpinBudget, IsNothingWhileAnotherHasComeToTheHart) {
  const auto ends = run_ranks(2, [&](ForkBootstrap& job) {
    const CpuSet home = job.job_rank() == 0 ? CpuSet{0, 1} : CpuSet{1};
    const auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [&](std::span<const std::byte>) { return node::LocalFacts{.mask = home, .hart_count = 2}; });
    node->note_wake(20us);
    EXPECT_EQ(node->spin_budget(), 20us) << "one each";
    meet(job);
    if (job.job_rank() == 0) node->claim_harts(CpuSet{1}, CpuSet{1});
    meet(job);
    EXPECT_EQ(node->spin_budget(), 0us) << "rank 0 has come to the hart of rank 1";
    meet(job);
    node->claim_harts(CpuSet(), home);
    meet(job);
    EXPECT_EQ(node->spin_budget(), 20us);
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Who sleeps elsewhere leaves its own hart to whoever comes, and has it back when its push ends.
TEST(HartClaims, OfOneThatIsPushedElsewhereAreToBeHad) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    meet(job);
    if (job.job_rank() == 1) node->claim_harts(CpuSet{5}, CpuSet{5});
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(node->harts().word(1).state(), HartState::idle);
      EXPECT_EQ(node->harts().word(5).holder(), 1);
      node->claim_harts(CpuSet{0, 1}, CpuSet{0, 1});
      EXPECT_EQ(node->harts().word(1).holder(), 0);
    }
    meet(job);
    if (job.job_rank() == 1) {
      node->fall_asleep();
      node->awake();
      EXPECT_EQ(node->harts().word(1).state(), HartState::lent) << "it wakes elsewhere";
      node->claim_harts(CpuSet(), CpuSet{1});
      EXPECT_EQ(node->harts().word(1).state(), HartState::contested);
      EXPECT_EQ(node->harts().word(5).state(), HartState::free);
    }
    meet(job);
    if (job.job_rank() == 0) {
      node->claim_harts(CpuSet(), CpuSet{0});
      EXPECT_EQ(node->harts().word(1).state(), HartState::held);
      EXPECT_EQ(node->harts().word(1).holder(), 1);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// A rank that rests lends what it has borrowed too: its leader runs on a core that the resting rank was spread to.
TEST(HartClaims, OfOneThatSleepsWhereItWasPushedAreToBeHad) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 1) {
      node->claim_harts(CpuSet{5, 6}, CpuSet{5, 6});
      node->fall_asleep();
    }
    meet(job);
    if (job.job_rank() == 0) {
      node->claim_harts(CpuSet{0, 5}, CpuSet{0, 5});
      EXPECT_EQ(node->harts().word(5).holder(), 0);
      EXPECT_EQ(node->harts().word(5).wanted(), 0U);
      EXPECT_EQ(node->harts().word(6).state(), HartState::free);
    }
    meet(job);
    if (job.job_rank() == 1) {
      node->awake();
      EXPECT_EQ(node->harts().word(5).wanted(), 1U) << "somebody else is there now";
      EXPECT_EQ(node->harts().word(6).holder(), 1);
      EXPECT_FALSE(node->hart_is_wanted()) << "it has one for itself";
      node->claim_harts(CpuSet{5}, CpuSet{5});
      EXPECT_TRUE(node->hart_is_wanted());
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(HartClaims, StayToBeHadWhileAThreadSleepsThoughAnotherOneMoves) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    if (job.job_rank() == 1) {
      node->claim_harts(CpuSet{5}, CpuSet{5});
      node->fall_asleep();
      node->claim_harts(CpuSet(), CpuSet{1});
      EXPECT_EQ(node->harts().word(1).state(), HartState::idle);
      EXPECT_EQ(node->harts().word(5).state(), HartState::free);
      node->fall_asleep();
      node->awake();
      EXPECT_EQ(node->harts().word(1).state(), HartState::idle) << "one still sleeps";
      node->awake();
      EXPECT_EQ(node->harts().word(1).state(), HartState::held);
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// Of a wide push that somebody else shares: its own hart counts, then one that it holds.
TEST(SpinBudget, IsJudgedByTheHartThatIsOnesOwn) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = attach(job);
    meet(job);
    if (job.job_rank() == 1) {
      node->claim_harts(CpuSet{0, 1, 2}, CpuSet{0, 1, 2});
      EXPECT_EQ(node->harts().word(0).wanted(), 1U);
      EXPECT_FALSE(node->hart_is_wanted()) << "hart 1 is its own";
      node->claim_harts(CpuSet{0, 2}, CpuSet{0, 2});
      EXPECT_FALSE(node->hart_is_wanted()) << "it holds hart 2";
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(SpinBudget, IsNothingOnAMachineThatHasNoHartOfTheBinding) {
  const auto ends = run_ranks(1, [](ForkBootstrap& job) {
    const auto node = attach(job, {}, 4);
    node->note_wake(20us);
    EXPECT_EQ(node->spin_budget(), 20us);
    node->claim_harts(CpuSet{9}, CpuSet{9});
    EXPECT_EQ(node->spin_budget(), 0us);
  });
  EXPECT_TRUE(all_good(ends));
}

// Both wait for the hart of a third one; that sleeps now, and still they are two.
TEST(SpinBudget, IsNothingForTwoWhoWaitForTheHartOfAThird) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    meet(job);
    if (job.job_rank() != 2) node->claim_harts(CpuSet{2}, CpuSet{2});
    meet(job);
    if (job.job_rank() == 2) node->fall_asleep();
    meet(job);
    if (job.job_rank() != 2) {
      EXPECT_EQ(node->harts().word(2).state(), HartState::idle);
      EXPECT_TRUE(node->hart_is_wanted());
    }
    meet(job);
    if (job.job_rank() == 1) node->claim_harts(CpuSet(), CpuSet{1});
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_FALSE(node->hart_is_wanted());
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// A death forgets who asks for which hart; the others ask again, and whose owner died is free.
TEST(SpinBudget, OfThoseWhoShareAHartStaysNothingAfterADeath) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [](std::span<const std::byte>) { return node::LocalFacts{.mask = CpuSet{0}, .hart_count = 4}; });
    meet(job);
    if (job.job_rank() == 1) {
      EXPECT_EQ(node->harts().word(0).wanted(), 2U);
      node->drop_dead(0);
    }
    meet(job);
    if (job.job_rank() == 2) node->claim_harts(CpuSet(), CpuSet{0});  // its next push or pop
    meet(job);
    if (job.job_rank() != 0) {
      EXPECT_TRUE(node->hart_is_wanted()) << "two share what is left";
    }
    meet(job);
    if (job.job_rank() == 2) node->claim_harts(CpuSet{3}, CpuSet{3});
    meet(job);
    if (job.job_rank() != 0) {
      EXPECT_FALSE(node->hart_is_wanted()) << "one each";
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(HartClaims, OfOneThatHasLeftAreToBeHad) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [](std::span<const std::byte>) { return node::LocalFacts{.mask = CpuSet{0}, .hart_count = 1}; });
    if (job.job_rank() == 1) {
      EXPECT_EQ(node->harts().word(0).wanted(), 1U);
      node.reset();
    }
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(node->harts().word(0).wanted(), 0U);
      node->note_wake(20us);
      EXPECT_EQ(node->spin_budget(), 20us) << "nobody shares it any more";
    }
  });
  EXPECT_TRUE(all_good(ends));
}

// A simulated machine has a hart for each, and this one has not: they would spin against one another.
TEST(SpinBudget, IsNothingWhereRanksAreMoreThanCpus) {
  const int ranks = static_cast<int>(os::online_cpus()) + 1;
  const auto ends = run_ranks(ranks, [&](ForkBootstrap& job) {
    const auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [&](std::span<const std::byte>) {
          return node::LocalFacts{.mask = CpuSet{static_cast<std::size_t>(job.job_rank())},
                                  .hart_count = static_cast<std::uint32_t>(ranks)};
        });
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

// Who sleeps asks for nothing, and wakes up to a table that has forgotten all askers: it asks once, and withdraws that once.
TEST(SpinBudget, IsThereAgainWhereADeathCameWhileAnAskerSlept) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job);
    meet(job);
    if (job.job_rank() == 1) {
      node->claim_harts(CpuSet{0}, CpuSet{0});
      node->fall_asleep();
    }
    meet(job);
    if (job.job_rank() == 0) node->drop_dead(2);
    meet(job);
    if (job.job_rank() == 1) {
      node->awake();
      EXPECT_EQ(node->harts().word(0).wanted(), 1U);
      node->claim_harts(CpuSet(), CpuSet{1});
    }
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(node->harts().word(0).wanted(), 0U);
      EXPECT_FALSE(node->hart_is_wanted());
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Who has not heard of the death takes nobody else's wish back when it falls asleep.
TEST(SpinBudget, StaysNothingWhereOneOfTwoAskersFallsAsleepAfterADeath) {
  const auto ends = run_ranks(4, [](ForkBootstrap& job) {
    const auto node = attach(job);
    meet(job);
    if (job.job_rank() == 1 || job.job_rank() == 2) node->claim_harts(CpuSet{0}, CpuSet{0});
    meet(job);
    if (job.job_rank() == 1) node->drop_dead(3);
    meet(job);
    if (job.job_rank() == 2) node->fall_asleep();
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(node->harts().word(0).wanted(), 1U);
      EXPECT_TRUE(node->hart_is_wanted()) << "rank 1 runs there";
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Harts are looked at a word of 64 at a time.
TEST(HartClaims, AreOfAllHartsOfALargeMachine) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const CpuSet home{job.job_rank() == 0 ? std::size_t{63} : std::size_t{64}};
    const auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [&](std::span<const std::byte>) { return node::LocalFacts{.mask = home, .hart_count = 200}; });
    meet(job);
    if (job.job_rank() == 0) {
      node->claim_harts(CpuSet{64, 199}, CpuSet{64, 199});
      EXPECT_EQ(node->harts().word(63).state(), HartState::idle);
      EXPECT_EQ(node->harts().word(64).wanted(), 1U);
      EXPECT_EQ(node->harts().word(199).holder(), 0);
      EXPECT_FALSE(node->hart_is_wanted()) << "it has hart 199";
    }
    meet(job);
    if (job.job_rank() == 1) {
      EXPECT_TRUE(node->hart_is_wanted());
    }
    meet(job);
    if (job.job_rank() == 0) node->claim_harts(CpuSet(), CpuSet{63});
    meet(job);
    EXPECT_FALSE(node->hart_is_wanted());
    EXPECT_EQ(node->harts().word(199).state(), HartState::free);
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// Another rank has found the owner dead; this one has not heard of it.
TEST(SpinBudget, IsThereOnAHartWhoseOwnerHasDied) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    const auto node = node::Node::attach(
        job, {}, [] { return bytes_of("payload"); },
        [](std::span<const std::byte>) { return node::LocalFacts{.mask = CpuSet{0}, .hart_count = 4}; });
    meet(job);
    if (job.job_rank() == 1) {
      EXPECT_TRUE(node->hart_is_wanted());
      node->harts().drop_dead(0);
      EXPECT_EQ(node->harts().word(0).state(), HartState::free);
      EXPECT_FALSE(node->hart_is_wanted());
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

// It runs elsewhere now, or not at all: nobody waits for its hart.
TEST(HartClaims, OfAnOwnerThatHasLeftAreIdle) {
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    auto node = attach(job);
    meet(job);
    if (job.job_rank() == 1) node.reset();
    meet(job);
    if (job.job_rank() == 0) {
      EXPECT_EQ(node->harts().word(1).state(), HartState::idle);
      node->claim_harts(CpuSet{1}, CpuSet{1});
      EXPECT_EQ(node->harts().word(1).holder(), 0);
    }
    meet(job);
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
