// SPDX-License-Identifier: BSD-3-Clause
// Cases with known figures beyond the paper's example: 8x8x8 and 48x32, launchers' and ours, and a million ranks.
#include <gtest/gtest.h>

#include "oracle.hpp"
#include "place/division/inside.hpp"
#include "place/division/launchers.hpp"

namespace {

using namespace comity::place;
using oracle::Figures;

const Grid kCube{{8, 8, 8}};
const Site kCubeSite = oracle::site(16, "pack:2 core:16");
const Grid kPlane{{48, 32}};
const Site kPlaneSite = oracle::site(12, "numa:4 core:32");

void expect(const Grid& grid, const Site& site, const Mapping& mapping, Figures nodes, Figures inner) {
  const Cut cut = cut_of(graph_of(grid), site, mapping);
  EXPECT_EQ(oracle::told(cut, 0), nodes);
  EXPECT_EQ(oracle::told(cut, 1), inner);
  EXPECT_EQ(oracle::figures(oracle::edges(grid), site, mapping, 0), nodes);
  EXPECT_EQ(oracle::figures(oracle::edges(grid), site, mapping, 1), inner);
}

TEST(Cube, LaunchersHaveTheirKnownFigures) {
  expect(kCube, kCubeSite, sequential(kCubeSite, 512), {512, 72}, {128, 8});
  expect(kCube, kCubeSite, block_cyclic(kCubeSite, 512), {512, 72}, {448, 28});
  expect(kCube, kCubeSite, round_robin(kCubeSite, 512), {896, 120}, {64, 4});
}

// Boxes of nodes and, in them, of domains: `box` cells of each dimension.
Mapping boxes(const Grid& grid, const Cell& node, const Cell& inner, Place node_size, Place inner_size) {
  Mapping mapping(grid.cells());
  std::vector<Place> taken(grid.cells(), 0);
  for (Rank rank = 0; rank < grid.cells(); ++rank) {
    const Cell cell = grid.cell_of(rank);
    Place of_node = 0, of_inner = 0;
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      of_node = of_node * (grid.extents[i] / node[i]) + cell[i] / node[i];
      of_inner = of_inner * (node[i] / inner[i]) + cell[i] % node[i] / inner[i];
    }
    const Place first = of_node * node_size + of_inner * inner_size;
    mapping[rank] = first + taken[first]++;
  }
  return mapping;
}

TEST(Cube, BoxesHaveTheirKnownFigures) {
  expect(kCube, kCubeSite, boxes(kCube, {4, 4, 2}, {4, 4, 1}, 32, 16), {320, 48}, {256, 16});
  expect(kCube, kCubeSite, boxes(kCube, {4, 4, 2}, {4, 2, 2}, 32, 16), {320, 48}, {128, 8});
}

TEST(Plane, BoxesHaveTheirKnownFigures) {
  expect(kPlane, kPlaneSite, boxes(kPlane, {8, 16}, {4, 8}, 128, 32), {208, 40}, {288, 24});
  expect(kPlane, kPlaneSite, boxes(kPlane, {8, 16}, {8, 4}, 128, 32), {208, 40}, {288, 24});
  expect(kPlane, kPlaneSite, boxes(kPlane, {16, 8}, {8, 4}, 128, 32), {208, 48}, {288, 24});
}

TEST(Cube, OursIs320And448BothProven) {
  for (const Aim aim : {Aim::worst, Aim::sum}) {
    const Answer answer = mapped(graph_of(kCube), &kCube, kCubeSite, {aim});
    EXPECT_EQ(oracle::figures(oracle::edges(kCube), kCubeSite, answer.mapping, 0), (Figures{320, 48}));
    EXPECT_EQ(oracle::figures(oracle::edges(kCube), kCubeSite, answer.mapping, 1), (Figures{128, 8}));
    EXPECT_EQ(answer.bounds[0].sum, 320);
    EXPECT_EQ(answer.bounds[0].worst, 40);
    EXPECT_EQ(answer.bounds[1].sum, 128);
    EXPECT_EQ(answer.bounds[1].worst, 8);
  }
}

TEST(Plane, LaunchersHaveTheirKnownFigures) {
  expect(kPlane, kPlaneSite, sequential(kPlaneSite, 1536), {352, 64}, {1152, 96});
  expect(kPlane, kPlaneSite, block_cyclic(kPlaneSite, 1536), {352, 64}, {1488, 124});
  expect(kPlane, kPlaneSite, round_robin(kPlaneSite, 1536), {2992, 507}, {0, 0});
}

TEST(Plane, OursIsAtMost40InTheWorstNodeAnd496InAll) {
  const Answer answer = mapped(graph_of(kPlane), &kPlane, kPlaneSite, {Aim::worst});
  const Figures nodes = oracle::figures(oracle::edges(kPlane), kPlaneSite, answer.mapping, 0);
  const Figures inner = oracle::figures(oracle::edges(kPlane), kPlaneSite, answer.mapping, 1);
  EXPECT_LE(nodes.worst, 40);
  EXPECT_LE(nodes.sum, 208);
  EXPECT_EQ(nodes.sum + inner.sum, 496);
  EXPECT_EQ(answer.bounds[0].worst, 33);
  EXPECT_EQ(nodes.sum + answer.bounds[1].sum, 496);
}

TEST(Plane, OursIsAtMost200InTheSumAnd496InAll) {
  const Answer answer = mapped(graph_of(kPlane), &kPlane, kPlaneSite, {Aim::sum});
  const Figures nodes = oracle::figures(oracle::edges(kPlane), kPlaneSite, answer.mapping, 0);
  const Figures inner = oracle::figures(oracle::edges(kPlane), kPlaneSite, answer.mapping, 1);
  EXPECT_LE(nodes.sum, 200);
  EXPECT_LE(nodes.worst, 48);
  EXPECT_EQ(nodes.sum + inner.sum, 496);
  EXPECT_EQ(answer.bounds[0].sum, 196);
  EXPECT_EQ(nodes.sum + answer.bounds[1].sum, 496);
}

TEST(Million, RanksOfAGridAreAllPlacedAndBoxesArePerfect) {
  const Grid grid{{1000, 1000}};
  const Site site = oracle::site(10'000, "pack:2 core:50");
  const Answer answer = mapped(graph_of(grid), &grid, site, {});
  std::vector<bool> taken(site.places(), false);
  for (const Place place : answer.mapping) {
    ASSERT_FALSE(taken[place]);
    taken[place] = true;
  }
  EXPECT_EQ(answer.cut[0].weight.sum, 198'000);  // 100 x 100 squares of 10 x 10
  EXPECT_EQ(answer.bounds[0].sum, 198'000);
  EXPECT_EQ(answer.cut[0].weight.worst, 40);
  EXPECT_EQ(answer.cut[1].weight.sum, 100'000);
}

// A box of each node's is far from a cube here, and from what faces alone would ask for.
TEST(Halos, WithDiagonalsHaveBoxesOfTheBestShape) {
  const auto worst = [](const Grid& grid, std::size_t nodes, const char* node) {
    return mapped(graph_of(grid), &grid, oracle::site(nodes, node), {}).cut[0].weight;
  };
  const Grid cube{{40, 40, 40}, {true, true, true}, {1, 7, 13}, 3};
  EXPECT_LE(worst(cube, 1000, "core:64").worst, 2568);  // 4x4x4
  const Grid plane{{100, 100}, {true, true}, {1, 20}, 2};
  EXPECT_LE(worst(plane, 100, "core:100").worst, 432);  // 5x20
}

TEST(SparePlaces, MayBeLeftInAnyNode) {
  const auto answer = [](const Grid& grid, std::size_t nodes, const char* node) {
    return mapped(graph_of(grid), &grid, oracle::site(nodes, node), {});
  };
  const Answer halves = answer({{4, 2}}, 2, "core:5");
  EXPECT_EQ(halves.cut[0].weight, (Crossing{2, 2}));  // four on each
  EXPECT_EQ(halves.bounds[0].sum, 2);
  EXPECT_EQ(answer({{2, 4}, {}, {3, 3}}, 3, "core:5").cut[0].weight.worst, 6);  // four on each of two
  EXPECT_EQ(answer({{8, 8}}, 4, "core:24").cut[0].weight.worst, 8);             // four boxes
  EXPECT_EQ(answer({{10}}, 2, "core:8").launchers[1].cut[0].weight.sum, 9);     // round robin leaves three on each node
}

// Sixteen of 36, though the small nodes stand first.
TEST(SparePlaces, AreLeftInSmallNodesWhereNodesDiffer) {
  const Grid grid{{24, 24}};
  const Site site({{10, node_shape("core:4")}, {20, node_shape("core:36")}});
  EXPECT_EQ(mapped(graph_of(grid), &grid, site, {Aim::sum}).cut[0].weight.sum, 144);
}

// Which shares are best is no more hidden from a grid than from the graph of it: 10 in the worst node, where a look at boxes alone finds 12.
TEST(SparePlaces, OfAGridOnUnlikeNodesAreLeftAsOfItsGraph) {
  const Grid grid{{6, 2, 5}};
  const Site site({{5, node_shape("core:3")}, {5, node_shape("core:18")}});
  EXPECT_LE(mapped(graph_of(grid), &grid, site, {Aim::worst}).cut[0].weight.worst, 10);
}

// The cubes and squares that are best between nodes have more inside than was asked for, and no other division is as good between them.
Answer asked(const Grid& grid, const Site& site, const Objective& objective) {
  return mapped(graph_of(grid), &grid, site, objective);
}

TEST(AtMostInside, IsKeptByBoxesOfAnotherShape) {
  const Answer cube = asked(kCube, kCubeSite, {.at_most = {kNoLimit, 4}});
  EXPECT_LE(cube.cut[0].weight.worst, 72);
  EXPECT_LE(cube.cut[0].weight.sum, 512);
  EXPECT_LE(cube.cut[1].weight.worst, 4);
  const Answer square = asked({{16, 16}}, oracle::site(16, "pack:2 core:8"), {.at_most = {kNoLimit, 2}});
  EXPECT_LE(square.cut[0].weight.worst, 18);
  EXPECT_LE(square.cut[0].weight.sum, 128);
  EXPECT_LE(square.cut[1].weight.worst, 2);
}

TEST(AtMostInside, IsKeptByBoxesOfAnotherShapeOfLargeJobs) {
  const Answer answer = asked({{300, 300}}, oracle::site(900, "pack:2 core:50"), {.at_most = {kNoLimit, 9}});
  EXPECT_LE(answer.cut[0].weight.worst, 50);
  EXPECT_LE(answer.cut[1].weight.worst, 5);
}

TEST(Time, WeighsBoxesOfAnotherShape) {
  const Objective time{Aim::time, {1, 5}};
  EXPECT_LE(time_of(time, asked({{16, 16}}, oracle::site(16, "pack:2 core:8"), time).cut), 28);
}

TEST(AtMostInside, OfSomePlacesIsKeptByBoxesOfAnotherShape) {
  const Answer answer = asked({{16, 16}}, oracle::site(17, "pack:2 core:8"), {.at_most = {kNoLimit, 2}});
  EXPECT_LE(answer.cut[0].weight.worst, 18);
  EXPECT_LE(answer.cut[1].weight.worst, 2);
}

}  // namespace
