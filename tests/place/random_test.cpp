// SPDX-License-Identifier: BSD-3-Clause
// Whatever the job and the nodes: a mapping is one to one, its figures are the oracle's, no launcher is better, no bound is exceeded.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "oracle.hpp"
#include "place/launchers.hpp"

namespace {

using namespace comity::place;

std::vector<NodeRun> random_nodes(oracle::Dice& dice, std::size_t ranks) {
  const std::vector<NodeShape> shapes{node_shape("pack:2 core:2"), node_shape("core:3"),
                                      node_shape("pack:2 numa:2 core:2"),
                                      without_cores(node_shape("pack:2 core:4"), {0, 5, 6})};
  std::vector<NodeRun> nodes;
  for (std::size_t places = 0; places < ranks;) {
    const NodeShape& shape = shapes[dice.from(0, 3)];
    nodes.push_back({dice.from(1, 2), shape});
    places += nodes.back().nodes * shape.cores;
  }
  return nodes;
}

void check(const std::vector<Edge>& edges, const Graph& graph, const Grid* grid, const Site& site, Aim aim) {
  const Objective objective{aim};
  const Answer answer = mapped(graph, grid, site, objective);
  ASSERT_EQ(answer.mapping.size(), graph.ranks());
  ASSERT_TRUE(oracle::is_injective(answer.mapping, site));
  for (std::size_t level = 0; level < site.levels().size(); ++level) {
    const oracle::Figures figures = oracle::figures(edges, site, answer.mapping, level);
    ASSERT_EQ(oracle::told(answer.cut, level), figures);
    EXPECT_LE(answer.bounds[level].sum, figures.sum);
    EXPECT_LE(answer.bounds[level].worst, figures.worst);
  }
  const Site used = site.first(graph.ranks());
  for (const Launcher& launcher : kLaunchers) {
    const Mapping mapping = launcher.map(used, graph.ranks());
    ASSERT_TRUE(oracle::is_injective(mapping, used)) << launcher.name;
    const Cut cut = cut_of(graph, used, mapping);
    EXPECT_LE(key_of(objective, answer.cut), key_of(objective, cut)) << launcher.name;
    EXPECT_LE(answer.bounds[0].sum, cut[0].weight.sum) << launcher.name;
    EXPECT_LE(answer.bounds[0].worst, cut[0].weight.worst) << launcher.name;
  }
}

TEST(Mapper, HoldsItsPromisesOnRandomGrids) {
  oracle::Dice dice(10);
  for (int i = 0; i < 18; ++i) {
    const Grid grid = dice.grid(7);
    const Aim aim = static_cast<Aim>(dice.from(0, 2));
    check(oracle::edges(grid), graph_of(grid), &grid, Site(random_nodes(dice, grid.cells())), aim);
  }
}

TEST(Mapper, HoldsItsPromisesOnRandomGraphs) {
  oracle::Dice dice(11);
  for (int i = 0; i < 12; ++i) {
    const std::uint32_t ranks = dice.from(1, 70);
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(0, 4 * ranks));
    const Aim aim = static_cast<Aim>(dice.from(0, 2));
    check(edges, Graph(ranks, edges), nullptr, Site(random_nodes(dice, ranks)), aim);
  }
}

TEST(Mapper, GivesEqualAnswersToEqualQuestions) {
  const Grid grid{{9, 14}};
  const Site site({{9, node_shape("pack:2 core:7")}});
  EXPECT_EQ(mapped(graph_of(grid), &grid, site, {}).mapping, mapped(graph_of(grid), &grid, site, {}).mapping);
}

TEST(Mapper, RefusesMoreRanksThanPlaces) {
  const Grid grid{{3, 3}};
  try {
    (void)mapped(graph_of(grid), &grid, oracle::site(2, "core:4"), {});
    FAIL();
  } catch (const comity::Error& error) {
    EXPECT_STREQ(error.what(),
                 "9 ranks do not fit: the nodes have room for 8; name more nodes, or fewer ranks or threads");
  }
}

TEST(Mapper, PlacesARankThatExchangesNothing) {
  EXPECT_EQ(mapped(Graph(1, {}), nullptr, oracle::site(1, "core:4"), {}).mapping, Mapping{0});
}

}  // namespace
