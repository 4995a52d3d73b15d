// SPDX-License-Identifier: BSD-3-Clause
// What divisions are made of: walks through grids, coarse graphs, and the splitting of nodes that are nearly alike.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle.hpp"
#include "place/division/coarse.hpp"
#include "place/division/inside.hpp"
#include "place/division/orders.hpp"

namespace {

using namespace comity::place;

TEST(Walk, VisitsEachCellOnce) {
  oracle::Dice dice(12);
  for (int i = 0; i < 30; ++i) {
    const Grid grid = dice.grid(6);
    for (const Walk& walk : walks(grid, dice.from(1, 9))) {
      std::vector<Rank> order = order_of(grid, walk);
      std::sort(order.begin(), order.end());
      ASSERT_EQ(order.size(), grid.cells());
      for (Rank rank = 0; rank < order.size(); ++rank) ASSERT_EQ(order[rank], rank);
    }
  }
}

// Bands of 2 then 3 rows, each filled column by column, columns alternately down and up, bands both left to right.
TEST(Walk, OfBandsHasItsKnownFigures) {
  const Grid grid{{5, 16}};
  const Site site = oracle::site(10, "pack:2 core:4");
  const std::vector<Rank> order = order_of(grid, {{2, 1}, {1, 0}, true});
  std::vector<Domain> node_of(80);
  for (Place place = 0; place < 80; ++place) node_of[order[place]] = place / 8;
  const Mapping mapping = settled(graph_of(grid), site, node_of);
  EXPECT_EQ(oracle::figures(oracle::edges(grid), site, mapping, 0), (oracle::Figures{41, 10}));
  EXPECT_LE(oracle::figures(oracle::edges(grid), site, mapping, 1).sum, 26);
  EXPECT_EQ(oracle::figures(oracle::edges(grid), site, mapping, 1).worst, 3);
}

TEST(Walk, ThatMakesBoxesIsTriedFirst) {
  const Walk first = walks({{100, 100, 100}}, 100).front();
  std::array<std::uint32_t, 3> widths{100 / first.pieces[0], 100 / first.pieces[1], 100 / first.pieces[2]};
  std::sort(widths.begin(), widths.end());
  EXPECT_EQ(widths, (std::array<std::uint32_t, 3>{4, 5, 5}));
}

TEST(Coarse, KeepsAllWeightsAndSizes) {
  oracle::Dice dice(13);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t ranks = dice.from(2, 60), most = dice.from(2, 5);
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(0, 150));
    const SizedGraph fine = with_unit_sizes(Graph(ranks, edges));
    const Coarse once = coarsened(fine, most, 0), twice = coarsened(once.sized, most, 0);
    Weight between = 0;
    std::uint32_t sizes = 0;
    for (const Edge& edge : edges) between += twice.of[once.of[edge.a]] == twice.of[once.of[edge.b]] ? 0 : edge.weight;
    for (const std::uint32_t size : twice.sized.size) sizes += size;
    EXPECT_EQ(twice.sized.graph.total_weight(), between);
    EXPECT_EQ(sizes, ranks);
    EXPECT_LE(twice.sized.largest(), most);
  }
}

TEST(Inside, NodesThatOnlyLookAlikeAreSplitEachInTheirWay) {
  const std::vector<Edge> edges{{0, 1, 1}, {2, 3, 1}, {4, 6, 1}, {5, 7, 1}};
  const Site site = oracle::site(2, "pack:2 core:2");
  const Mapping mapping = settled(Graph(8, edges), site, std::vector<Domain>{0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_EQ(oracle::figures(edges, site, mapping, 1).sum, 0);
}

TEST(Inside, WeightsTellNodesApart) {
  const std::vector<Edge> edges{{0, 1, 9}, {1, 2, 1}, {2, 3, 9}, {3, 0, 1}, {4, 5, 1}, {5, 6, 9}, {6, 7, 1}, {7, 4, 9}};
  const Site site = oracle::site(2, "pack:2 core:2");
  const Mapping mapping = settled(Graph(8, edges), site, std::vector<Domain>{0, 0, 0, 0, 1, 1, 1, 1});
  EXPECT_EQ(oracle::figures(edges, site, mapping, 1), (oracle::Figures{4, 2}));
}

}  // namespace
