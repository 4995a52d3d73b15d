// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/exact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "oracle.hpp"
#include "place/division/inside.hpp"

namespace {

using namespace comity::place;
using oracle::Figures;

struct Least {
  Weight sum = std::numeric_limits<Weight>::max(), worst = sum;
  Figures worst_first{sum, sum};
};

Least least_of(std::size_t ranks, const std::vector<Edge>& edges, std::size_t nodes) {
  Least least;
  oracle::every_division(ranks, std::vector<std::size_t>(nodes, ranks / nodes), [&](const std::vector<Domain>& part) {
    const Figures figures = oracle::of_division(edges, part);
    least.sum = std::min(least.sum, figures.sum);
    least.worst = std::min(least.worst, figures.worst);
  });
  return least;
}

void check(std::size_t ranks, const std::vector<Edge>& edges, std::size_t nodes) {
  const Graph graph(ranks, edges);
  const Least least = least_of(ranks, edges, nodes);
  ExactSearch search(graph, nodes, false);
  ASSERT_TRUE(search.possible());
  EXPECT_LE(search.least_sum(least.sum), least.sum);
  EXPECT_LE(search.least_sum(least.sum + 3), least.sum);
  const Crossing known{graph.total_weight(), 2 * graph.total_weight()};
  for (const Aim aim : {Aim::sum, Aim::worst}) {
    const auto found = search.best({aim}, known, 0);
    if (!found) continue;  // its pieces are connected ones
    // A whole division into equal parts, and better than what was known.
    const Figures figures = oracle::of_division(edges, *found);
    EXPECT_LT(aim == Aim::sum ? figures.sum : figures.worst, aim == Aim::sum ? known.sum : known.worst);
    for (std::size_t node = 0; node < nodes; ++node) {
      EXPECT_EQ(std::count(found->begin(), found->end(), node), static_cast<std::ptrdiff_t>(ranks / nodes));
    }
  }
}

TEST(ExactSearch, NeverClaimsMoreThanTheBestOfRandomGraphs) {
  oracle::Dice dice(5);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t nodes = dice.from(2, 3), ranks = nodes * dice.from(2, 3);
    check(ranks, dice.edges(ranks, dice.from(1, 3 * ranks)), nodes);
  }
}

TEST(ExactSearch, NeverClaimsMoreThanTheBestWhereItIsNotConnected) {
  // Two stars: pieces of their leaves are not connected, and cut less than connected ones.
  check(6, {{0, 1}, {0, 2}, {3, 4}, {3, 5}, {0, 3, 5}}, 3);
  check(8, {{0, 1, 9}, {2, 3, 9}, {4, 5, 9}, {6, 7, 9}}, 2);
}

TEST(ExactSearch, FindsTheBestOfSmallGrids) {
  for (const Grid& grid : {Grid{{3, 4}}, Grid{{2, 6}}, Grid{{3, 4}, {true, true}}, Grid{{2, 2, 3}, {}, {1, 2, 3}}}) {
    for (const std::size_t nodes : {2, 3}) {
      const std::vector<Edge> edges = oracle::edges(grid);
      const Least least = least_of(12, edges, nodes);
      ExactSearch search(graph_of(grid), nodes, false);
      const Crossing known{graph_of(grid).total_weight(), 2 * graph_of(grid).total_weight()};
      const auto of_sum = search.best({Aim::sum}, known, 0), of_worst = search.best({Aim::worst}, known, 0);
      ASSERT_TRUE(of_sum && of_worst);
      EXPECT_EQ(oracle::of_division(edges, *of_sum).sum, least.sum);
      EXPECT_EQ(oracle::of_division(edges, *of_worst).worst, least.worst);
    }
  }
}

TEST(ExactSearch, ProvesThatThePapersExampleCuts41) {
  const Grid grid{{5, 16}};
  EXPECT_EQ(ExactSearch(graph_of(grid), 10, false).least_sum(41), 41);
  EXPECT_EQ(ExactSearch(graph_of(grid), 10, false).least_sum(45), 41);
}

// Where no cover keeps the limit inside nodes, a search for ever larger covers has to end.
TEST(ExactSearch, EndsWhereNoDivisionKeepsTheLimitInside) {
  const Graph graph(8, std::vector<Edge>{{6, 0, 3},
                                         {7, 6, 3},
                                         {7, 5, 5},
                                         {3, 2, 3},
                                         {2, 1, 5},
                                         {4, 2, 3},
                                         {5, 7, 5},
                                         {1, 5, 4},
                                         {3, 5, 5},
                                         {4, 0, 5},
                                         {0, 1, 6},
                                         {6, 0, 5}});
  ExactSearch search(graph, 2, true);
  ASSERT_TRUE(search.possible());
  const Crossing known{2 * graph.total_weight(), 2 * graph.total_weight()};
  EXPECT_FALSE(search.best({Aim::sum, {}, {kNoLimit, 4}}, known, 0));
  EXPECT_FALSE(search.best({Aim::worst, {}, {kNoLimit, 4}}, known, 0));
}

// Each objective with each limit: what is found keeps it where any division into connected pieces does.
TEST(ExactSearch, KeepsEveryLimitThatCanBeKept) {
  oracle::Dice dice(23);
  int kept = 0, not_kept = 0;
  for (int i = 0; i < 30; ++i) {
    const std::vector<Edge> edges = dice.edges(8, dice.from(8, 20));
    const Graph graph(8, edges);
    const Site site = oracle::site(2, "pack:2 core:2");
    const Crossing known{2 * graph.total_weight(), 2 * graph.total_weight()};
    ExactSearch search(graph, 2, true);
    ASSERT_TRUE(search.possible());
    for (Weight limit = 0; limit <= 12; ++limit) {
      for (const Aim aim : {Aim::sum, Aim::worst}) {
        const auto found = search.best({aim, {}, {kNoLimit, limit}}, known, 0);
        ++(found ? kept : not_kept);
        if (!found) continue;
        EXPECT_LE(oracle::figures(edges, site, settled(graph, site, *found), 1).worst, limit) << i;
      }
    }
  }
  EXPECT_GT(kept, 100);
  EXPECT_GT(not_kept, 100);
}

TEST(ExactSearch, SaysNothingWhereWeightsOfAllPiecesDoNotFitIntoANumber) {
  std::vector<Edge> edges{{0, 1, kMostWeight / 2}, {0, 2}, {1, 3}};
  for (Rank rank = 2; rank < 16; rank += 2) edges.push_back({rank, rank + 1, 3});
  const Graph graph(16, edges);
  EXPECT_FALSE(ExactSearch(graph, 8, false).possible());
  EXPECT_EQ(mapped(graph, nullptr, oracle::site(8, "core:2"), {Aim::sum}).cut[0].weight.sum, 2);
}

TEST(ExactSearch, SaysSoWhereThereIsTooMuchToList) {
  EXPECT_FALSE(ExactSearch(graph_of({{8, 16}}), 2, false).possible());
}

// To halve all pieces of 3x40 with 12 ranks takes a minute.
TEST(ExactSearch, LooksForNoLimitInsideWhereAllPiecesAreNotHalvedSoon) {
  const Grid grid{{3, 40}};
  const Graph graph = graph_of(grid);
  ExactSearch search(graph, 10, true);
  ASSERT_TRUE(search.possible());
  ASSERT_FALSE(search.halves_soon());
  EXPECT_FALSE(search.best({Aim::worst, {}, {kNoLimit, 2}}, {2 * graph.total_weight(), 2 * graph.total_weight()}, 0));
  const Answer answer = mapped(graph, &grid, oracle::site(10, "pack:2 core:6"), {.at_most = {kNoLimit, 2}});
  EXPECT_LE(answer.cut[1].weight.worst, 2);
}

}  // namespace
