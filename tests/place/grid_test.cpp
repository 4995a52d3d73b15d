// SPDX-License-Identifier: BSD-3-Clause
#include "place/job/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "oracle.hpp"

namespace {

using namespace comity::place;

using Pairs = std::map<std::pair<Rank, Rank>, std::vector<Weight>>;

Pairs pairs_of(const Graph& graph) {
  Pairs pairs;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    graph.for_each_edge(rank, [&](Rank other, Weight weight) { pairs[{rank, other}].push_back(weight); });
  }
  for (auto& [pair, weights] : pairs) std::sort(weights.begin(), weights.end());
  return pairs;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const comity::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Grid, OfThePaperHas139EdgesAndItsTorus160) {
  EXPECT_EQ(graph_of({{5, 16}}).edges(), 139U);
  EXPECT_EQ(graph_of({{5, 16}, {true, true}}).edges(), 160U);
  EXPECT_EQ(graph_of({{5, 16}, {true, false}}).edges(), 155U);
}

TEST(Grid, RanksAreCellsInRowMajorOrder) {
  const Grid grid{{2, 3, 4}};
  EXPECT_EQ(grid.rank_of({1, 2, 3}), 23U);
  EXPECT_EQ(grid.cell_of(13), (Cell{1, 0, 1}));
}

TEST(Grid, RandomOnesHaveTheEdgesOfTheOracle) {
  oracle::Dice dice(1);
  for (int i = 0; i < 300; ++i) {
    const Grid grid = dice.grid(6);
    const std::vector<Edge> edges = oracle::edges(grid);
    EXPECT_EQ(pairs_of(graph_of(grid)), pairs_of(Graph(grid.cells(), edges)));
    Weight total = 0;
    for (const Edge& edge : edges) total += edge.weight;
    EXPECT_EQ(graph_of(grid).total_weight(), total);
  }
}

TEST(Grid, TwoCellsInACircleExchangeOnBothSides) {
  EXPECT_EQ(graph_of({{2}, {true}}).edges(), 2U);
  EXPECT_EQ(graph_of({{1}, {true}}).edges(), 0U);
}

TEST(Grid, DiagonalsJoinCellsThatTouchAtACorner) {
  const Graph graph = graph_of({{3, 3}, {}, {5, 7}, 2});
  EXPECT_EQ(graph.edges(), 6U + 6U + 8U);
  EXPECT_EQ(graph.degree_weight(4), 2 * 5 + 2 * 7 + 4 * 2);
  EXPECT_EQ(graph_of({{3, 3, 3}, {}, {}, 1}).edges_of(13), 26U);
}

// Rows are kept once for all cells that have them; a million ranks with weights took a gigabyte when each had its own.
TEST(Grid, GraphHasNoMoreRowsThanKindsOfCells) {
  const Graph graph = graph_of({{6, 5, 7, 4}, {true, false, true, false}, {1, 2, 3, 4}, 5});
  EXPECT_EQ(graph.kinds(), 81U);
  EXPECT_EQ(graph.edges_of(0), std::size_t{3 * 2 * 3 * 2 - 1});
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    std::size_t edge = 0;
    graph.for_each_edge(rank, [&](Rank other, Weight) { EXPECT_EQ(graph.neighbour(rank, edge++), other); });
  }
}

// Counted along the rows that many cells have in common, or edge by edge.
void expect_the_cut_of_its_edges(const Grid& grid, oracle::Dice& dice) {
  const std::size_t cells = grid.cells();
  const Site site = oracle::site(static_cast<std::uint32_t>(cells / 6 + 1), "pack:2 core:3");
  Mapping mapping(cells);
  std::iota(mapping.begin(), mapping.end(), Place{0});
  for (std::size_t i = cells / (1 + dice.from(0, 3)); i-- > 1;) {
    std::swap(mapping[i], mapping[dice.from(0, static_cast<std::uint32_t>(i))]);
  }
  const Graph edges(cells, oracle::edges(grid));
  const Cut cut = cut_of(graph_of(grid), site, mapping), expected = cut_of(edges, site, mapping);
  ASSERT_EQ(cut.size(), expected.size());
  for (std::size_t level = 0; level < cut.size(); ++level) {
    EXPECT_EQ(oracle::told(cut, level), oracle::figures(oracle::edges(grid), site, mapping, level));
    EXPECT_EQ(cut[level].weight, expected[level].weight);
    EXPECT_EQ(cut[level].edges, expected[level].edges);
  }
}

TEST(Grid, IsCutAsItsEdgesAre) {
  oracle::Dice dice(5);
  for (int i = 0; i < 100; ++i) expect_the_cut_of_its_edges(dice.grid(6), dice);
  expect_the_cut_of_its_edges({{3, 1'100}, {true, true}, {2, 5}, 3}, dice);
  expect_the_cut_of_its_edges({{2'000}}, dice);
}

TEST(Grid, WithoutSenseIsRefusedByDimension) {
  EXPECT_NE(message_of([] { (void)graph_of({{4, 0}}); }).find("dimension 2 has extent 0"), std::string::npos);
  EXPECT_NE(message_of([] { (void)graph_of({{}}); }).find("1 to 4 dimensions"), std::string::npos);
  EXPECT_NE(message_of([] { (void)graph_of({{2, 2, 2, 2, 2}}); }).find("not 5"), std::string::npos);
  EXPECT_NE(message_of([] { (void)graph_of({{100000, 100000}}); }).find("more than"), std::string::npos);
  EXPECT_NE(message_of([] { (void)graph_of({{4, 4}, {true}}); }).find("one for each"), std::string::npos);
  EXPECT_NE(message_of([] { (void)graph_of({{4, 4}, {}, {1, 0}}); }).find("dimension 2 is 0"), std::string::npos);
  EXPECT_NE(message_of([] { (void)graph_of({{4, 4}, {}, {}, -1}); }).find("diagonals is -1"), std::string::npos);
}

TEST(Graph, WithoutSenseIsRefusedByEdge) {
  const auto graph = [](std::size_t ranks, std::vector<Edge> edges) {
    return message_of([&] { Graph(ranks, edges); });
  };
  EXPECT_NE(graph(0, {}).find("without ranks"), std::string::npos);
  EXPECT_NE(graph(3, {{0, 3}}).find("edge 0 3: the ranks are 0 to 2"), std::string::npos);
  EXPECT_NE(graph(3, {{1, 1}}).find("itself"), std::string::npos);
  EXPECT_NE(graph(3, {{0, 1, 0}}).find("below 1"), std::string::npos);
  EXPECT_NE(graph(3, {{0, 1, kMostWeight}, {1, 2, 1}}).find("2^60"), std::string::npos);
  EXPECT_EQ(graph(3, {{0, 1, kMostWeight}}), "");
}

}  // namespace
