// SPDX-License-Identifier: BSD-3-Clause
// Runs whose efficiencies are known by hand.
#include "metrics/job/efficiency.hpp"

#include <gtest/gtest.h>

#include <random>

namespace comity::metrics {
namespace {

Use use(double wall, double useful, int node = 0) {
  Use use;
  use.node = node;
  use.wall_ns = wall;
  use.useful_ns = useful;
  return use;
}

TEST(Efficiency, OfRanksThatOnlyComputeIsOne) {
  const Efficiency e = efficiency({use(100, 100), use(100, 100)}, {2});
  EXPECT_DOUBLE_EQ(e.parallel, 1);
  EXPECT_DOUBLE_EQ(*e.load_balance, 1);
  EXPECT_DOUBLE_EQ(*e.communication, 1);
}

// One rank has twice the work of the other, which waits for it.
TEST(Efficiency, OfUnevenWorkIsLostInTheBalance) {
  const Efficiency e = efficiency({use(100, 100), use(100, 50)}, {2});
  EXPECT_DOUBLE_EQ(e.parallel, 0.75);
  EXPECT_DOUBLE_EQ(*e.load_balance, 0.75);
  EXPECT_DOUBLE_EQ(*e.communication, 1);
}

// Ranks that work by turns: the balance is perfect, and nobody works half of the time.
TEST(Efficiency, OfWorkByTurnsIsLostInTheCommunication) {
  const Efficiency e = efficiency({use(100, 50), use(100, 50)}, {2});
  EXPECT_DOUBLE_EQ(e.parallel, 0.5);
  EXPECT_DOUBLE_EQ(*e.load_balance, 1);
  EXPECT_DOUBLE_EQ(*e.communication, 0.5);
}

TEST(Efficiency, OfNodesIsToldApartFromThatInsideThem) {
  const Efficiency e = efficiency({use(100, 80), use(100, 40), use(100, 30), use(100, 30, 1), use(100, 30, 1)}, {3, 2});
  EXPECT_DOUBLE_EQ(e.parallel, 0.42);
  EXPECT_DOUBLE_EQ(*e.communication, 0.8);
  EXPECT_DOUBLE_EQ(*e.in_nodes, 0.5 / 0.8);
  EXPECT_DOUBLE_EQ(e.between_nodes, 0.42 / 0.5);
  EXPECT_NEAR(*e.load_balance * *e.communication, e.parallel, 1e-12);
  EXPECT_NEAR(*e.in_nodes * e.between_nodes, *e.load_balance, 1e-12);
}

// A rank computes on both cores in one half of the run, alone on its own in the other, and its peer sleeps meanwhile.
TEST(Efficiency, OfACoreThatIsLentCountsTheCoreOnce) {
  const Efficiency e = efficiency({use(100, 150), use(100, 50)}, {2});
  EXPECT_DOUBLE_EQ(e.parallel, 1);
  EXPECT_FALSE(e.load_balance.has_value()) << "by ranks it cannot be told";
  EXPECT_FALSE(e.communication.has_value());
}

TEST(Efficiency, IsNeverAboveOne) {
  const Efficiency e = efficiency({use(100, 101), use(100, 101)}, {2});  // clocks are read one after the other
  EXPECT_DOUBLE_EQ(e.parallel, 1);
  EXPECT_LE(*e.load_balance, 1);
  EXPECT_LE(*e.communication, 1);
}

TEST(Efficiency, OfAWideRankIsThatOfItsThreads) { EXPECT_DOUBLE_EQ(efficiency({use(100, 300)}, {4}).parallel, 0.75); }

TEST(Efficiency, OfNothingIsOne) { EXPECT_DOUBLE_EQ(efficiency({use(0, 0)}, {1}).parallel, 1); }

// The same work in less time is never less efficient, on however many nodes, and who has how much of it stays the same.
TEST(Efficiency, DoesNotFallBecauseTheRunGotFaster) {
  std::mt19937 random(1);
  for (int run = 0; run < 1000; ++run) {
    std::vector<Use> ranks;
    for (int rank = 0; rank < 6; ++rank) ranks.push_back(use(200, static_cast<double>(random() % 100 + 1), rank / 3));
    Efficiency last = efficiency(ranks, {3, 3});
    const double balance = *last.load_balance;
    for (double wall = 190; wall >= 100; wall -= 10) {
      for (Use& rank : ranks) rank.wall_ns = wall;
      const Efficiency now = efficiency(ranks, {3, 3});
      ASSERT_GE(now.parallel, last.parallel);
      ASSERT_GE(*now.communication, *last.communication);
      ASSERT_LE(now.parallel, 1);
      ASSERT_NEAR(*now.load_balance, balance, 1e-12);
      last = now;
    }
  }
}

// A core that is lent makes a run of the same work shorter. Per process the second one would be called less efficient.
TEST(Efficiency, DoesNotFallBecauseACoreWasLent) {
  const Efficiency alone = efficiency({use(300, 300), use(300, 100)}, {2});
  const Efficiency lent = efficiency({use(200, 300), use(200, 100)}, {2});
  EXPECT_NEAR(alone.parallel, 4.0 / 6, 1e-12);
  EXPECT_DOUBLE_EQ(lent.parallel, 1);
}

}  // namespace
}  // namespace comity::metrics
