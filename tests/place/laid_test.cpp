// SPDX-License-Identifier: BSD-3-Clause
// Boxes of a grid laid on a torus, and the walks that they go along.
#include "place/laid.hpp"

#include <gtest/gtest.h>

#include <set>

#include "oracle.hpp"
#include "place/torus.hpp"
#include "place/torus_walk.hpp"

namespace {

using namespace comity::place;

Site site_of(const Network& torus, const std::vector<NodeRun>& nodes) {
  return Site(in_order(nodes, torus.order), 1, torus.levels, torus.order);
}

bool meets_no_cell_twice(const TorusWalk& walk) {
  return std::set<TorusCell>(walk.begin(), walk.end()).size() == walk.size();
}

TEST(TorusWalk, GoesToAndFroByOneLinkAStep) {
  for (const std::vector<std::uint32_t>& extents : std::vector<std::vector<std::uint32_t>>{{7}, {3, 4}, {3, 2, 5}}) {
    std::size_t all = 1;
    for (const std::uint32_t extent : extents) all *= extent;
    const TorusWalk walk = open_walk(extents, all);
    EXPECT_TRUE(meets_no_cell_twice(walk));
    EXPECT_EQ(links_of(walk, extents, false), all - 1);
  }
}

// A ring of an odd number of cells has an odd step somewhere, unless it goes around the torus.
TEST(TorusWalk, ComesBackToWhereItBegan) {
  for (const std::vector<std::uint32_t>& extents :
       std::vector<std::vector<std::uint32_t>>{{2, 2}, {4, 4}, {3, 4}, {5, 5}, {3, 7}, {3, 3, 3}, {2, 3, 4}, {6, 2}}) {
    std::size_t all = 1;
    for (const std::uint32_t extent : extents) all *= extent;
    for (std::size_t cells = 1; cells <= all; ++cells) {
      SCOPED_TRACE(cells);
      const TorusWalk walk = closed_walk(extents, cells);
      ASSERT_EQ(walk.size(), cells);
      EXPECT_TRUE(meets_no_cell_twice(walk));
      EXPECT_LE(links_of(walk, extents, true), cells + 3);
      const bool goes_all_around = cells == all, is_comb = all % 2 == 0 && cells % 2 == 0;
      if (cells > 1 && (goes_all_around || is_comb)) {
        EXPECT_EQ(links_of(walk, extents, true), cells);
      }
    }
  }
}

Weight hops_of(const Grid& grid, const std::vector<std::uint32_t>& extents, const std::vector<NodeRun>& nodes) {
  const Network torus = torus_network(extents);
  const Graph graph = graph_of(grid);
  const Site site = site_of(torus, nodes);
  const Answer answer = mapped_on_torus(graph, &grid, site, torus, {Aim::hops});
  EXPECT_TRUE(oracle::is_injective(answer.mapping, site));
  return links_of(graph, site, torus, answer.mapping);
}

// Each exchange goes over one link.
TEST(Torus, HasRoomForAGridThatLeavesNodesEmpty) {
  EXPECT_EQ(hops_of({{3, 3, 3}}, {4, 4, 4}, {{64, node_shape("core:1")}}), 3 * 3 * 3 * 2);
  EXPECT_EQ(hops_of({{64}, {true}}, {8, 8}, {{64, node_shape("core:1")}}), 64);
  EXPECT_EQ(hops_of({{6, 4}, {true, false}}, {4, 3, 3}, {{36, node_shape("core:1")}}), 6 * 4 + 6 * 3);
}

// Not only grids: nodes of a graph may lie in a ring, too.
TEST(Torus, HasRingsOfNodes) {
  std::vector<Edge> edges;
  for (Rank rank = 0; rank < 72; ++rank) edges.push_back({rank * 5 % 72, (rank + 1) * 5 % 72});
  const Graph graph(72, edges);
  const Network torus = torus_network({6, 6});
  const Site site = site_of(torus, {{36, node_shape("core:2")}});
  EXPECT_EQ(links_of(graph, site, torus, mapped_on_torus(graph, nullptr, site, torus, {Aim::hops}).mapping), 36);
}

TEST(Torus, TakesBoxesOfSeveralRanks) {
  EXPECT_EQ(hops_of({{6, 6}}, {4, 4}, {{16, node_shape("pack:2 core:2")}}), 2 * 2 * 6);
}

// Node 0 has room for none of the boxes.
TEST(Torus, LaysBoxesBesideASmallNode) {
  EXPECT_EQ(hops_of({{6, 6}}, {4, 4}, {{1, node_shape("core:1")}, {15, node_shape("core:4")}}), 2 * 2 * 6);
}

TEST(Laid, BoxesHaveRoomWhereverTheyLie) {
  oracle::Dice dice(44);
  int laid = 0;
  for (int i = 0; i < 40; ++i) {
    const Network torus = torus_network({dice.from(1, 4), dice.from(2, 5), dice.from(1, 3)});
    std::vector<NodeRun> nodes;
    for (std::size_t node = 0; node < torus.order.size(); ++node) nodes.push_back({1, {dice.from(2, 4)}});
    const Site site = site_of(torus, nodes);
    const Grid grid{{dice.from(1, 6), dice.from(1, 5)}, {dice.from(0, 1) == 1, dice.from(0, 1) == 1}};
    if (grid.cells() > site.places()) continue;
    for (const std::vector<Domain>& node_of : laid_on_torus(grid, site, torus)) {
      std::vector<std::size_t> taken(torus.order.size(), 0);
      for (const Domain node : node_of) ++taken[node];
      for (std::size_t node = 0; node < taken.size(); ++node)
        EXPECT_LE(taken[node], site.levels()[site.node_level()].size(node));
      ++laid;
    }
  }
  EXPECT_GT(laid, 10);
}

}  // namespace
