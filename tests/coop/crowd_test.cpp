// SPDX-License-Identifier: BSD-3-Clause
// Whether threads outnumber cores, and what is said of it.
#include "coop/decision/crowd.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace comity::testing {
namespace {

using coop::NodeFacts;
using coop::RankFacts;
using coop::Verdict;

RankFacts rank(const char* mask, std::uint32_t threads) {
  const CpuSet cpus = CpuSet::parse_list(mask);
  return {.mask = cpus, .reach = cpus, .threads = threads, .has_spinning_team = 0, .has_tool = 0};
}

RankFacts rank(const char* mask, std::uint32_t threads, const char* reach, bool spins = false) {
  RankFacts facts = rank(mask, threads);
  facts.reach = CpuSet::parse_list(reach);
  facts.has_spinning_team = spins ? 1 : 0;
  return facts;
}

// A job on one node.
Verdict of(const std::vector<RankFacts>& ranks) {
  return coop::judge(std::vector<NodeFacts>(ranks.size(), coop::sum_up(ranks)));
}

std::string said(const std::vector<RankFacts>& ranks) { return coop::to_text(of(ranks), "a"); }

TEST(Crowd, IsMoreThreadsThanCores) {
  EXPECT_EQ(said({rank("0", 1), rank("1", 1)}), "off: 2 ranks on 2 cores of node a");
  EXPECT_EQ(said({rank("0-1", 1), rank("0-1", 1)}), "off: 2 ranks on 2 cores of node a");
  EXPECT_EQ(said({rank("0-1", 2), rank("0-1", 2)}), "on: 2 ranks x 2 threads on 2 cores of node a");
  EXPECT_EQ(said({rank("0-3", 2), rank("0-3", 2)}), "off: 2 ranks x 2 threads on 4 cores of node a");
  EXPECT_EQ(said({rank("0", 1), rank("0", 1)}), "on: 2 ranks on 1 core of node a");
  EXPECT_EQ(said(std::vector<RankFacts>(8, rank("0-1", 1))), "on: 8 ranks on 2 cores of node a");
}

TEST(Crowd, CountsTheCoresOfAllMasksOnce) {
  EXPECT_EQ(said({rank("0-1", 2), rank("1-2", 2)}), "on: 2 ranks x 2 threads on 3 cores of node a");
  EXPECT_EQ(said({rank("0-1", 2), rank("2-3", 2)}), "off: 2 ranks x 2 threads on 4 cores of node a");
}

TEST(Crowd, TellsUnevenTeamsByTheirSum) {
  EXPECT_EQ(said({rank("0-1", 1), rank("0-1", 4)}), "on: 2 ranks with 5 threads on 2 cores of node a");
  EXPECT_EQ(said({rank("0-7", 1), rank("0-7", 4)}), "off: 2 ranks with 5 threads on 8 cores of node a");
}

TEST(Crowd, OneRankHasNobodyToWaitFor) {
  EXPECT_EQ(said({rank("0", 8)}), "off: 1 rank x 8 threads on 1 core of node a");
}

TEST(Crowd, WithoutCoresIsNone) { EXPECT_FALSE(coop::is_crowded({.ranks = 1, .threads = 2, .cores = 0})); }

TEST(Crowd, AJobIsDecidedByItsFullestNode) {
  const NodeFacts free = coop::sum_up(std::vector{rank("0-3", 1), rank("0-3", 1)});
  const NodeFacts full = coop::sum_up(std::vector{rank("0-1", 2), rank("0-1", 2)});
  const NodeFacts fuller = coop::sum_up(std::vector{rank("0", 2), rank("0", 2)});
  const Verdict verdict = coop::judge(std::vector{free, free, full, full, fuller, fuller});
  EXPECT_TRUE(verdict.crowded);
  EXPECT_EQ(coop::to_text(verdict, "a"), "on: 2 ranks x 2 threads on 1 core of the node of rank 4");
  EXPECT_EQ(coop::judge(std::vector{full, full, free, free}).rank, 0U);
  EXPECT_FALSE(coop::judge(std::vector{free, free, free}).crowded);
}

TEST(Crowd, IsLeftAloneWhereAToolWouldMissCalls) {
  RankFacts watched = rank("0-1", 2);
  watched.has_tool = 1;
  const NodeFacts seen = coop::sum_up(std::vector{rank("0-1", 2), watched});
  const NodeFacts unseen = coop::sum_up(std::vector{rank("0-1", 2), rank("0-1", 2)});
  for (const auto& nodes : {std::vector{seen, seen}, std::vector{unseen, unseen, seen, seen}}) {
    const Verdict verdict = coop::judge(nodes);
    EXPECT_TRUE(verdict.crowded);
    EXPECT_FALSE(verdict.on);
    EXPECT_EQ(coop::to_text(verdict, "a"),
              "off: 2 ranks x 2 threads on 2 cores of node a, but another tool would no longer see all calls of MPI; "
              "--coop on puts that aside");
  }
}

TEST(Spread, IsForRanksWithFewerCoresThanThreads) {
  EXPECT_TRUE(coop::is_to_spread(rank("0", 2, "0-1")));
  EXPECT_FALSE(coop::is_to_spread(rank("0", 1, "0-1")));
  EXPECT_FALSE(coop::is_to_spread(rank("0-1", 2, "0-3")));
  EXPECT_FALSE(coop::is_to_spread(rank("0", 2)));  // nobody may widen that one
}

TEST(Spread, IsTold) {
  const std::vector<RankFacts> ranks{rank("0", 4, "0-7"), rank("1", 4, "0-7")};
  EXPECT_EQ(said(ranks), "on: 2 ranks x 4 threads on 2 cores of node a, spread over 8 cores");
  EXPECT_FALSE(coop::has_idle_threads_in_the_way(coop::sum_up(ranks)));
}

TEST(Spread, CountsOnlyRanksThatNeedIt) {
  const NodeFacts node = coop::sum_up(std::vector{rank("0", 1, "0-7"), rank("1", 2, "0-1")});
  EXPECT_EQ(node.cores_spread, 2U);
  EXPECT_TRUE(coop::has_idle_threads_in_the_way(node));
}

TEST(IdleThreads, AreInTheWayOnlyWhereThereAreTeams) {
  EXPECT_FALSE(coop::has_idle_threads_in_the_way(coop::sum_up(std::vector(4, rank("0-1", 1)))));
  EXPECT_TRUE(coop::has_idle_threads_in_the_way(coop::sum_up(std::vector(2, rank("0-1", 2)))));
}

TEST(IdleThreads, OfGnuAreToldWhereNobodyCanStopThem) {
  const std::string hint = "; idle threads of GNU's OpenMP spin there: set OMP_WAIT_POLICY=passive before the run";
  EXPECT_EQ(said({rank("0-1", 2, "0-1", true), rank("0-1", 2)}), "on: 2 ranks x 2 threads on 2 cores of node a" + hint);
  EXPECT_EQ(said({rank("0-3", 2, "0-3", true), rank("0-3", 2)}), "off: 2 ranks x 2 threads on 4 cores of node a");
  EXPECT_EQ(said({rank("0", 2, "0-3", true), rank("0", 2, "0-3", true)}),
            "on: 2 ranks x 2 threads on 1 core of node a, spread over 4 cores");
}

}  // namespace
}  // namespace comity::testing
