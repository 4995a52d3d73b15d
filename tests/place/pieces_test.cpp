// SPDX-License-Identifier: BSD-3-Clause
// What divisions are made of: walks through grids, coarse graphs, and the splitting of nodes that are nearly alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

TEST(Coarse, ClustersStayInsideTheirGroupsAndAreNoLargerThanTheyMay) {
  oracle::Dice dice(14);
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t ranks = dice.from(2, 60), most = dice.from(2, 9);
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(0, 150));
    std::vector<std::uint32_t> group;
    for (Rank rank = 0; rank < ranks; ++rank) group.push_back(dice.from(0, 3));
    const Coarse found = clustered(Graph(ranks, edges), dice.from(1, 10), most, 1, group);
    std::vector<std::uint32_t> size(found.sized.graph.ranks(), 0);
    std::vector<std::set<std::uint32_t>> groups(size.size());
    for (Rank rank = 0; rank < ranks; ++rank) {
      ++size[found.of[rank]];
      groups[found.of[rank]].insert(group[rank]);
    }
    EXPECT_EQ(size, found.sized.size);
    for (std::size_t cluster = 0; cluster < size.size(); ++cluster) {
      EXPECT_LE(size[cluster], most);
      EXPECT_EQ(groups[cluster].size(), 1U);
    }
    Weight between = 0;
    for (const Edge& edge : edges) between += found.of[edge.a] == found.of[edge.b] ? 0 : edge.weight;
    EXPECT_EQ(found.sized.graph.total_weight(), between);
  }
}

// Ranks that all exchange with one another, in groups: so many of them, so many groups.
std::vector<Edge> cliques(std::uint32_t ranks, std::uint32_t groups) {
  std::vector<Edge> edges;
  for (Rank a = 0; a < ranks; ++a) {  // the groups take turns, so that no order of launchers keeps them together
    for (Rank b = a + groups; b < ranks; b += groups) edges.push_back({a, b, 1});
  }
  return edges;
}

// Two groups of five had been put onto the first ten of 16 cores, so that six exchanges went between packages.
TEST(Inside, SparePlacesAreSharedOutAmongTheDomains) {
  const auto crossing = [](std::uint32_t ranks, std::uint32_t groups, const Site& site) {
    const std::vector<Edge> edges = cliques(ranks, groups);
    Weight all = 0;
    for (const Aim aim : {Aim::worst, Aim::sum, Aim::time}) {
      const Mapping mapping = mapped(Graph(ranks, edges), nullptr, site, {aim}).mapping;
      EXPECT_TRUE(oracle::is_injective(mapping, site));
      for (std::size_t level = 0; level < site.levels().size(); ++level)
        all += oracle::figures(edges, site, mapping, level).sum;
    }
    return all;
  };
  EXPECT_EQ(crossing(10, 2, oracle::site(1, "pack:2 core:8")), 0);
  EXPECT_EQ(crossing(20, 4, oracle::site(2, "pack:2 core:8")), 0);
  EXPECT_EQ(crossing(12, 4, oracle::site(1, "pack:2 l3:2 core:4")), 0);
  EXPECT_EQ(crossing(14, 2, Site({{1, without_cores(node_shape("pack:3 core:8"), {0, 1, 2, 3, 4})}})), 0);
}

TEST(Inside, SparePlacesAreSharedOutAsWellAsCanBe) {
  oracle::Dice dice(18);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const std::uint32_t ranks = dice.from(5, 9);
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(ranks, 2 * ranks));
    const Site site = oracle::site(1, "pack:3 core:4");
    const Mapping mapping = settled(Graph(ranks, edges), site, std::vector<Domain>(ranks, 0));
    ASSERT_TRUE(oracle::is_injective(mapping, site));
    Weight least = kNoLimit;
    oracle::every_division(ranks, {4, 4, 4}, [&](const std::vector<Domain>& part) {
      least = std::min(least, oracle::of_division(edges, part).sum);
    });
    EXPECT_EQ(oracle::figures(edges, site, mapping, 1).sum, least);
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
