// SPDX-License-Identifier: BSD-3-Clause
// Splitting, bisecting, slicing and annealing: sizes hold, nothing gets worse, and small cases are solved.
#include "place/division/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "oracle.hpp"
#include "place/division/anneal.hpp"
#include "place/division/bisect.hpp"
#include "place/division/gains.hpp"
#include "place/division/slices.hpp"
#include "place/job/subgraph.hpp"

namespace {

using namespace comity::place;

std::vector<std::size_t> sizes_of(const std::vector<Domain>& part, std::size_t parts) {
  std::vector<std::size_t> sizes(parts, 0);
  for (const Domain one : part) ++sizes[one];
  return sizes;
}

std::vector<std::size_t> random_sizes(oracle::Dice& dice, std::uint32_t ranks) {
  std::vector<std::size_t> sizes;
  while (ranks > 0) {
    const std::uint32_t size = dice.from(1, ranks);
    sizes.push_back(size);
    ranks -= size;
  }
  return sizes;
}

// Of stacks and of a heap; and as a look at all that was pushed has it.
TEST(Gains, TheBestIsTheLastOfTheHighestThatHolds) {
  constexpr Rank kRanks = 12;
  constexpr Weight kMost = 9;
  oracle::Dice dice(47);
  for (int i = 0; i < 50; ++i) {
    Gains stacks, heap;
    stacks.reset(kMost);
    heap.reset(Weight{1} << 40U);
    std::vector<Weight> gain_of(kRanks, 0);
    std::vector<std::pair<Rank, Weight>> pushed;
    const auto is_current = [&](Rank rank, Weight gain) { return gain_of[rank] == gain; };
    for (int step = 0; step < 60; ++step) {
      const Rank rank = dice.from(0, kRanks - 1);
      const bool gone = dice.from(0, 3) == 0;  // what was pushed of it holds no more
      gain_of[rank] = gone ? kMost + 1 : static_cast<Weight>(dice.from(0, 2 * kMost)) - kMost;
      if (gone) continue;
      pushed.emplace_back(rank, gain_of[rank]);
      stacks.push(rank, gain_of[rank]);
      heap.push(rank, gain_of[rank]);
      if (dice.from(0, 1) == 0) continue;
      std::optional<std::pair<Rank, Weight>> best;
      for (const auto& one : pushed) {
        if (is_current(one.first, one.second) && (!best || one.second >= best->second)) best = one;
      }
      const Rank expected = best ? best->first : Gains::kNone;
      EXPECT_EQ(stacks.best(is_current), expected);
      EXPECT_EQ(heap.best(is_current), expected);
    }
  }
}

TEST(Bisection, GivesPartsOfTheSizesAsked) {
  oracle::Dice dice(6);
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t ranks = dice.from(1, 60);
    const std::vector<std::size_t> sizes = random_sizes(dice, ranks);
    const Graph graph(ranks, dice.edges(ranks, dice.from(0, 150)));
    EXPECT_EQ(sizes_of(bisected(graph, sizes, 2), sizes.size()), sizes);
  }
}

TEST(Bisection, GivesPartsOfTheSizesAskedOfLargerGraphsToo) {
  oracle::Dice dice(14);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t ranks = dice.from(80, 500);
    const std::vector<std::size_t> sizes = random_sizes(dice, ranks);
    const Graph graph(ranks, dice.edges(ranks, dice.from(0, 3 * ranks)));
    EXPECT_EQ(sizes_of(bisected(graph, sizes, 2), sizes.size()), sizes);
  }
}

TEST(Bisection, VisitsEachRankOnce) {
  oracle::Dice dice(7);
  for (int i = 0; i < 50; ++i) {
    const std::uint32_t ranks = dice.from(1, 40);
    std::vector<Rank> order = breadth_first(Graph(ranks, dice.edges(ranks, dice.from(0, 60))));
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), ranks);
    for (Rank rank = 0; rank < ranks; ++rank) EXPECT_EQ(order[rank], rank);
  }
}

TEST(Annealing, KeepsSizesAndNeverMakesWorse) {
  oracle::Dice dice(8);
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t ranks = dice.from(2, 40);
    const std::vector<std::size_t> sizes = random_sizes(dice, ranks);
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(0, 100));
    const Graph graph(ranks, edges);
    for (const Wanted wanted : {Wanted::least_sum, Wanted::least_worst}) {
      std::vector<Domain> part = bisected(graph, sizes, 2);
      const oracle::Figures before = oracle::of_division(edges, part);
      anneal(graph, part, sizes.size(), {wanted, 5000, 1});
      const oracle::Figures after = oracle::of_division(edges, part);
      EXPECT_EQ(sizes_of(part, sizes.size()), sizes);
      if (wanted == Wanted::least_sum) {
        EXPECT_LE(after.sum, before.sum);
      } else {
        EXPECT_LE(std::pair(after.worst, after.sum), std::pair(before.worst, before.sum));
      }
    }
  }
}

TEST(Annealing, MakesCompactPiecesOfScatteredOnes) {
  const Grid grid{{16, 8}};
  for (const Wanted wanted : {Wanted::least_sum, Wanted::least_worst}) {
    std::vector<Domain> part(128);
    for (Rank rank = 0; rank < 128; ++rank) part[rank] = rank % 4;
    anneal(graph_of(grid), part, 4, {wanted, 400'000, 1});
    EXPECT_LE(oracle::of_division(oracle::edges(grid), part).sum, 40);  // of 232; the least is 24
    EXPECT_LE(oracle::of_division(oracle::edges(grid), part).worst, 24);
  }
}

TEST(Split, FindsTheSquaresOfAPlane) {
  const Grid grid{{16, 8}};
  const std::vector<Domain> part = split(graph_of(grid), std::vector<std::size_t>(4, 32), {600'000});
  EXPECT_EQ(oracle::of_division(oracle::edges(grid), part).sum, 24);
}

std::vector<Rank> all_of(const Grid& grid) {
  std::vector<Rank> ranks(grid.cells());
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

// 13 and 12 blocks of ten cells each way, as the halves of a torus have them.
TEST(Slices, AreBoxesWhereSizesAllow) {
  const Grid grid{{250, 250}};
  const std::vector<std::size_t> sizes{16900, 15600, 15600, 14400};
  const std::vector<Domain> part = sliced(grid, all_of(grid), sizes);
  EXPECT_EQ(sizes_of(part, 4), sizes);
  for (Rank rank = 0; rank < part.size(); ++rank) {
    ASSERT_EQ(part[rank], (rank / 250 < 130 ? 0U : 2U) + (rank % 250 < 130 ? 0U : 1U)) << rank;
  }
}

TEST(Slices, AreCutWhereLeastCrosses) {
  const Grid heavy{{10, 20}, {}, {1, 5}};  // 20 edges of 1 across the first dimension, 10 of 5 across the other
  EXPECT_EQ(
      oracle::of_division(oracle::edges(heavy), sliced(heavy, all_of(heavy), std::vector<std::size_t>{100, 100})).sum,
      20);
  const Grid ragged{{7, 11}};
  const std::vector<Domain> part = sliced(ragged, all_of(ragged), std::vector<std::size_t>{39, 38});
  EXPECT_EQ(sizes_of(part, 2), (std::vector<std::size_t>{39, 38}));
  EXPECT_EQ(oracle::of_division(oracle::edges(ragged), part).sum, 8);  // seven rows' breadth, and one step
}

TEST(Slices, OfAnyRanksHaveTheSizesAsked) {
  oracle::Dice dice(15);
  for (int i = 0; i < 200; ++i) {
    const Grid grid = dice.grid(9);
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < grid.cells(); ++rank) {
      if (dice.from(0, 3) > 0) ranks.push_back(rank);
    }
    if (ranks.empty()) continue;
    const std::vector<std::size_t> sizes = random_sizes(dice, static_cast<std::uint32_t>(ranks.size()));
    EXPECT_EQ(sizes_of(sliced(grid, ranks, sizes), sizes.size()), sizes);
    const Graph graph = graph_of(grid);
    const std::vector<Domain> part = split_of_grid([&] { return Subgraphs(graph).of(ranks); }, grid, ranks, sizes);
    EXPECT_EQ(sizes_of(part, sizes.size()), sizes);
  }
}

TEST(Slices, ABoxIsAGridOfItsOwn) {
  const Grid grid{{6, 8}, {true, true}, {2, 3}, 4};
  const std::optional<Grid> box = box_of(grid, std::vector<Rank>{2, 3, 10, 11, 18, 19, 26, 27, 34, 35, 42, 43});
  ASSERT_TRUE(box);
  EXPECT_EQ(box->extents, (std::vector<std::uint32_t>{6, 2}));
  EXPECT_EQ(box->periodic, (std::vector<bool>{true, false}));
  EXPECT_EQ(box->halo, (std::vector<Weight>{2, 3}));
  EXPECT_EQ(box->diagonal, 4);
  EXPECT_FALSE(box_of(grid, std::vector<Rank>{2, 3, 10}));
}

TEST(Split, OfVerySmallGraphsIsTheBest) {
  oracle::Dice dice(9);
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t ranks = dice.from(1, 9);
    const std::vector<std::size_t> sizes = random_sizes(dice, ranks);
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(0, 25));
    Weight least = std::numeric_limits<Weight>::max();
    oracle::every_division(ranks, sizes, [&](const std::vector<Domain>& part) {
      least = std::min(least, oracle::of_division(edges, part).sum);
    });
    const std::vector<Domain> part = split(Graph(ranks, edges), sizes, {});
    EXPECT_EQ(sizes_of(part, sizes.size()), sizes);
    EXPECT_EQ(oracle::of_division(edges, part).sum, least);
  }
}

}  // namespace
