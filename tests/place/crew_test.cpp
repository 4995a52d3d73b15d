// SPDX-License-Identifier: BSD-3-Clause
// A large graph that is looked at in parts, side by side, is mapped as by one thread.
#include <gtest/gtest.h>

#include <thread>

#include "place/division/launchers.hpp"
#include "place/torus.hpp"

namespace {

using namespace comity::place;

// A thread a part.
Crew threads(std::size_t size) {
  return {size, [](std::size_t parts, const std::function<void(std::size_t)>& work) {
            std::vector<std::jthread> all;
            for (std::size_t part = 0; part < parts; ++part) all.emplace_back(work, part);
          }};
}

void expect_same(const Answer& one, const Answer& other) {
  EXPECT_EQ(one.mapping, other.mapping);
  EXPECT_EQ(one.made_by, other.made_by);
  EXPECT_EQ(one.together, other.together);
  ASSERT_EQ(one.cut.size(), other.cut.size());
  for (std::size_t level = 0; level < one.cut.size(); ++level) {
    EXPECT_EQ(one.cut[level].weight, other.cut[level].weight);
    EXPECT_EQ(one.cut[level].edges, other.cut[level].edges);
    EXPECT_EQ(one.bounds[level].sum, other.bounds[level].sum);
  }
}

// Primes: no boxes come out, so that few pieces are alike.
Grid plane() {
  Grid grid{{461, 439}};
  grid.diagonal = 1;
  return grid;
}

TEST(Crew, MapsAsOneDoes) {
  const Grid grid = plane();
  const Site site({{2025, node_shape("pack:2 core:50")}});
  Graph graph = graph_of(grid);
  ASSERT_EQ(graph.parts(), 1U);
  const Answer alone = mapped(graph, &grid, site, {});
  graph.lend(threads(3));
  ASSERT_EQ(graph.parts(), 3U);
  expect_same(mapped(graph, &grid, site, {}), alone);
}

// Its rows are looked at by one, but its halves and its nodes are divided side by side.
TEST(Crew, DividesAGraphAsOneDoes) {
  const Graph grid = graph_of({{200, 205}});
  std::vector<Edge> edges;
  for (Rank rank = 0; rank < grid.ranks(); ++rank) {
    grid.for_each_edge(rank, [&](Rank other, Weight) {
      if (rank < other) edges.push_back({rank, other});
    });
  }
  const Site site({{410, node_shape("pack:2 core:50")}});
  Graph graph(grid.ranks(), edges);
  const Answer alone = mapped(graph, nullptr, site, {});
  graph.lend(threads(3));
  ASSERT_EQ(graph.parts(), 1U);
  ASSERT_EQ(graph.helpers(), 3U);
  expect_same(mapped(graph, nullptr, site, {}), alone);
}

TEST(Crew, ArrangesNodesOnATorusAsOneDoes) {
  const Grid grid = plane();
  const Network torus = torus_network({45, 45});
  const Site site(in_order({{2025, node_shape("pack:2 core:50")}}, torus.order), 1, torus.levels, torus.order);
  Graph graph = graph_of(grid);
  const Answer alone = mapped_on_torus(graph, &grid, site, torus, {});
  const Weight links = links_of(graph, site, torus, alone.mapping);
  graph.lend(threads(2));
  const Answer found = mapped_on_torus(graph, &grid, site, torus, {});
  expect_same(found, alone);
  EXPECT_EQ(links_of(graph, site, torus, found.mapping), links);
  ASSERT_TRUE(found.links);
  EXPECT_EQ(found.links->ours, links);
  EXPECT_EQ(found.links->sequential, links_of(graph, site, torus, sequential(site, graph.ranks())));
}

TEST(Crew, SmallGraphsAreLookedAtAtOnce) {
  Graph graph = graph_of({{100, 100}});
  graph.lend(threads(4));
  EXPECT_EQ(graph.parts(), 1U);
  std::size_t rows = 0;
  graph.in_parts([&](std::size_t part, Rank first, Rank end) {
    EXPECT_EQ(part, 0U);
    rows += end - first;
  });
  EXPECT_EQ(rows, graph.ranks());
}

TEST(Crew, PartsAreAllRowsInOrder) {
  Graph graph = graph_of(plane());
  graph.lend({7});  // nobody but who asks
  Rank next = 0;
  std::size_t parts = 0;
  graph.in_parts([&](std::size_t part, Rank first, Rank end) {
    EXPECT_EQ(part, parts++);
    EXPECT_EQ(first, next);
    next = end;
  });
  EXPECT_EQ(parts, 7U);
  EXPECT_EQ(next, graph.ranks());
}

}  // namespace
