// SPDX-License-Identifier: BSD-3-Clause
// What divisions are made of: walks through grids, coarse graphs, and the splitting of nodes that are nearly alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "oracle.hpp"
#include "place/division/bisect.hpp"
#include "place/division/coarse.hpp"
#include "place/division/inside.hpp"
#include "place/division/orders.hpp"
#include "place/division/sliced_halves.hpp"
#include "place/job/subgraph.hpp"

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

TEST(Walk, TheLeastEstimateAndTheirNumberAreKnownWithoutThem) {
  oracle::Dice dice(16);
  for (int i = 0; i < 20; ++i) {
    const Grid grid = dice.grid(6);
    const std::uint32_t node_ranks = dice.from(1, 5);
    const std::vector<Walk> all = walks(grid, node_ranks);
    EXPECT_EQ(count_of_walks(grid, node_ranks), all.size());
    if (all.empty()) continue;
    EXPECT_EQ(least_estimate(grid, node_ranks), all.front().estimate);
  }
}

TEST(Walk, ThatMakesBoxesIsTriedFirst) {
  const Walk first = walks({{100, 100, 100}}, 100).front();
  std::array<std::uint32_t, 3> widths{100 / first.pieces[0], 100 / first.pieces[1], 100 / first.pieces[2]};
  std::sort(widths.begin(), widths.end());
  EXPECT_EQ(widths, (std::array<std::uint32_t, 3>{4, 5, 5}));
}

// What nodes have of grids that come out in no boxes. As graphs whose layers nobody knows such pieces took most of a million ranks' time.
TEST(SlicedHalves, LeaveNoMoreBetweenThanHalvingAsAGraph) {
  constexpr std::size_t kCells = 98;
  for (const Grid& grid : {Grid{{11, 8, 7, 9}, {}, {}, 1}, Grid{{19, 17, 18}, {}, {}, 1}, Grid{{61, 97}}}) {
    const Graph graph = graph_of(grid);
    Subgraphs subgraphs(graph);
    const std::vector<Rank> order = order_of(grid, walks(grid, kCells).front());
    Weight by_slices = 0, as_graphs = 0;
    for (std::size_t at = 0; at + kCells <= order.size(); at += kCells) {
      std::vector<Rank> ranks(order.begin() + static_cast<std::ptrdiff_t>(at),
                              order.begin() + static_cast<std::ptrdiff_t>(at + kCells));
      std::sort(ranks.begin(), ranks.end());
      const Graph piece = subgraphs.of(ranks);
      const std::vector<std::size_t> sizes{50, 48};
      const std::vector<Domain> part = halved_by_slices(piece, grid, ranks, sizes);
      ASSERT_EQ(std::count(part.begin(), part.end(), Domain{0}), 50);
      ASSERT_EQ(std::count(part.begin(), part.end(), Domain{1}), 48);
      by_slices += node_cut(piece, 2, part).sum;
      as_graphs += node_cut(piece, 2, bisected(piece, sizes, 1)).sum;
    }
    EXPECT_LE(by_slices, as_graphs);
  }
}

TEST(SlicedHalves, HaveTheSizesThatAreAskedFor) {
  const Grid grid{{7, 11}};
  const Graph graph = graph_of(grid);
  std::vector<Rank> ranks(graph.ranks());
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  const std::vector<std::size_t> sizes{20, 17, 1, 30, 9};
  const std::vector<Domain> part = halved_by_slices(graph, grid, ranks, sizes);
  for (Domain one = 0; one < sizes.size(); ++one)
    EXPECT_EQ(std::count(part.begin(), part.end(), one), static_cast<std::ptrdiff_t>(sizes[one]));
}

// Nodes of 8 places, of which the last has 4 ranks.
TEST(SharedOut, LeavesFullNodesAsTheyAre) {
  const Grid grid{{6, 6}};
  const Graph graph = graph_of(grid);
  const Site site = oracle::site(5, "pack:2 core:4");
  Mapping known(36);
  for (Rank rank = 0; rank < 36; ++rank) known[rank] = rank;
  std::reverse(known.begin(), known.begin() + 8);  // nobody would settle it so
  const Mapping found = shared_out(graph, site, known, kUsualEffort, &grid, {});
  const std::vector<Domain> before = domains_of(site, 1, known), now = domains_of(site, 1, found);
  for (Rank rank = 0; rank < 32; ++rank) EXPECT_EQ(now[rank], before[rank]) << rank;
  for (Rank rank = 32; rank < 36; ++rank) EXPECT_EQ(site.domain_of(0)[found[rank]], 4U);
}

TEST(SettledOn, IsNoWorseThanWhatWasKnown) {
  oracle::Dice dice(15);
  const Site site = oracle::site(3, "pack:2 core:20");
  for (int i = 0; i < 20; ++i) {
    const Graph graph(120, dice.edges(120, 400));
    Mapping known(120);
    std::iota(known.begin(), known.end(), Place{0});
    const Mapping found = settled_on(graph, site, known, kUsualEffort, {});
    EXPECT_EQ(domains_of(site, 0, found), domains_of(site, 0, known));
    EXPECT_LE(cut_of(graph, site, found)[1].weight.sum, cut_of(graph, site, known)[1].weight.sum);
  }
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
