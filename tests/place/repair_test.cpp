// SPDX-License-Identifier: BSD-3-Clause
// Divisions of others: made to fit, and kept where they are better than ours.
#include "place/division/repair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "oracle.hpp"
#include "place/division/bisect.hpp"

namespace {

using namespace comity::place;

std::vector<std::size_t> counts(const std::vector<Domain>& part, std::size_t parts) {
  std::vector<std::size_t> counts(parts, 0);
  for (const Domain one : part) ++counts[one];
  return counts;
}

TEST(Repair, FillsEveryNodeExactly) {
  oracle::Dice dice(30);
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t ranks = dice.from(1, 60), nodes = dice.from(1, 6);
    const Graph graph(ranks, dice.edges(ranks, 2 * ranks));
    std::vector<std::size_t> sizes(nodes, 0);
    std::vector<Domain> part;
    for (Rank rank = 0; rank < ranks; ++rank) {
      ++sizes[dice.from(0, nodes - 1)];
      part.push_back(dice.from(0, nodes - 1));
    }
    ASSERT_EQ(counts(repaired(graph, part, sizes), nodes), sizes);
  }
}

TEST(Repair, LeavesWhatFits) {
  const Graph graph = graph_of(Grid{{4, 4}});
  const std::vector<Domain> part{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3};
  EXPECT_EQ(repaired(graph, part, std::vector<std::size_t>{4, 4, 4, 4}), part);
}

// A plane in two halves of 9 and 7: of the ranks at the border the one at its end costs least.
TEST(Repair, MovesTheRankThatCostsLeast) {
  const Graph graph = graph_of(Grid{{4, 4}});
  const std::vector<Domain> part{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
  const std::vector<Domain> result = repaired(graph, part, std::vector<std::size_t>{8, 8});
  EXPECT_EQ(result[2], 1U);
  EXPECT_EQ(node_cut(graph, 2, result).sum, 4);
}

TEST(Repair, GivesTheLargestPartToTheLargestNode) {
  const Graph graph(6, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {4, 5}});
  const std::vector<Domain> result = repaired(graph, {0, 0, 0, 0, 1, 1}, std::vector<std::size_t>{2, 4});
  EXPECT_EQ(result, (std::vector<Domain>{1, 1, 1, 1, 0, 0}));
}

// ---- asked by the mapper

// A plane whose ranks are numbered by chance, too large for swaps; theirs are boxes.
TEST(Foreign, DivisionThatIsBetterIsKept) {
  constexpr std::uint32_t kSide = 160, kBox = 16, kNodes = 100;
  const Grid grid{{kSide, kSide}};
  std::vector<Rank> number(grid.cells());
  std::iota(number.begin(), number.end(), Rank{0});
  std::shuffle(number.begin(), number.end(), std::mt19937(31));
  std::vector<Edge> edges = oracle::edges(grid);
  for (Edge& edge : edges) edge = {number[edge.a], number[edge.b]};
  std::vector<Domain> boxes(number.size());
  for (Rank rank = 0; rank < number.size(); ++rank) {
    boxes[number[rank]] = rank / kSide / kBox * (kSide / kBox) + rank % kSide / kBox;
  }
  const Graph graph(number.size(), edges);
  const Site site = oracle::site(kNodes, "core:256");
  const Weight best = node_cut(graph, kNodes, boxes).sum;
  ASSERT_EQ(best, 2 * 9 * 160);
  EXPECT_GT(mapped(graph, nullptr, site, {Aim::sum}).cut[0].weight.sum, best);  // else there is nothing to see
  const Partition ask = [&](const Graph&, const std::vector<std::size_t>& sizes, const std::vector<std::uint32_t>&,
                            const Portions&) {
    EXPECT_EQ(sizes, std::vector<std::size_t>(kNodes, 256));
    return std::vector<Foreign>{{"theirs", boxes}};
  };
  const Answer with = mapped(graph, nullptr, site, {Aim::sum}, {}, ask);
  EXPECT_EQ(with.cut[0].weight.sum, best);
  EXPECT_EQ(with.made_by, "theirs, repaired");
}

TEST(Foreign, DivisionThatIsWorseDoesNoHarm) {
  oracle::Dice dice(32);
  for (int i = 0; i < 10; ++i) {
    Grid grid = dice.grid(6);
    if (grid.dimensions() > 3) {  // a larger one may take ten seconds
      for (std::uint32_t& extent : grid.extents) extent = std::min(extent, 3U);
    }
    const Graph graph = graph_of(grid);
    const Site site({{static_cast<std::size_t>(grid.cells()) / 3 + 1, node_shape("pack:3 core:1")}});
    const Objective objective{static_cast<Aim>(dice.from(0, 2))};
    const Partition ask = [&](const Graph& asked, const std::vector<std::size_t>& sizes,
                              const std::vector<std::uint32_t>&, const Portions&) {
      std::vector<Domain> part;
      for (Rank rank = 0; rank < asked.ranks(); ++rank)
        part.push_back(dice.from(0, static_cast<Domain>(sizes.size()) - 1));
      return std::vector<Foreign>{{"theirs", std::move(part)}};
    };
    const Answer with = mapped(graph, &grid, site, objective, {}, ask), without = mapped(graph, &grid, site, objective);
    EXPECT_LE(key_of(objective, with.cut), key_of(objective, without.cut));
    EXPECT_TRUE(oracle::is_injective(with.mapping, site));
  }
}

// Halves of the grid with its ranks numbered by chance.
std::vector<Domain> halves_by_chance(const Grid& grid, const std::vector<std::size_t>& sizes, unsigned seed) {
  std::vector<Rank> number(grid.cells());
  std::iota(number.begin(), number.end(), Rank{0});
  std::shuffle(number.begin(), number.end(), std::mt19937(seed));
  std::vector<Edge> edges = oracle::edges(grid);
  for (Edge& edge : edges) edge = {number[edge.a], number[edge.b], edge.weight};
  constexpr std::size_t kTries = 8;
  const std::vector<Domain> of_number = bisected(Graph(number.size(), edges), sizes, kTries);
  std::vector<Domain> part;
  part.reserve(number.size());
  for (const Rank one : number) part.push_back(of_number[one]);
  return part;
}

// A good one takes the place of a start of ours that looks worse, and leads to more. In these it did where both were not mapped.
TEST(Foreign, DivisionThatIsGoodLeavesNoWorseAnswer) {
  struct Job {
    Grid grid;
    std::size_t nodes;
    const char* node;
    Aim aim;
    unsigned seed;
  };
  int asked = 0;
  for (const Job& job :
       {Job{{{4, 4, 3}}, 11, "core:5", Aim::worst, 97}, Job{{{5, 4, 4}}, 14, "core:6", Aim::sum, 43}}) {
    const Graph graph = graph_of(job.grid);
    const Site site = oracle::site(job.nodes, job.node);
    const Objective objective{job.aim};
    const Partition ask = [&](const Graph&, const std::vector<std::size_t>& sizes, const std::vector<std::uint32_t>&,
                              const Portions&) {
      ++asked;
      return std::vector<Foreign>{{"theirs", halves_by_chance(job.grid, sizes, job.seed)}};
    };
    const Answer with = mapped(graph, &job.grid, site, objective, {}, ask);
    EXPECT_LE(key_of(objective, with.cut), key_of(objective, mapped(graph, &job.grid, site, objective).cut));
  }
  EXPECT_GT(asked, 0);
}

}  // namespace
