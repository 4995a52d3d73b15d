// SPDX-License-Identifier: BSD-3-Clause
// The paper's example, 80 sub-domains as 5x16 on ten nodes of two sockets with four cores: its figures, by the count of cut.hpp.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "oracle.hpp"
#include "place/division/inside.hpp"
#include "place/division/launchers.hpp"

namespace {

using namespace comity::place;
using oracle::Figures;

const Grid kOpen{{5, 16}};
const Grid kTorus{{5, 16}, {true, true}};
const Site kSite = oracle::site(10, "pack:2 core:4");

void expect(const Grid& grid, const Mapping& mapping, Figures nodes, Figures sockets) {
  ASSERT_TRUE(oracle::is_injective(mapping, kSite));
  const Cut cut = cut_of(graph_of(grid), kSite, mapping);
  EXPECT_EQ(oracle::told(cut, 0), nodes) << cut[0].weight.sum << '/' << cut[0].weight.worst;
  EXPECT_EQ(oracle::told(cut, 1), sockets) << cut[1].weight.sum << '/' << cut[1].weight.worst;
  EXPECT_EQ(oracle::figures(oracle::edges(grid), kSite, mapping, 0), nodes);
  EXPECT_EQ(oracle::figures(oracle::edges(grid), kSite, mapping, 1), sockets);
}

// Letters name the node of each sub-domain; inside, the sockets that cut least.
Mapping of_letters(const std::array<const char*, 5>& rows) {
  std::vector<Domain> node_of;
  for (const char* row : rows) {
    for (; *row != '\0'; ++row) node_of.push_back(static_cast<Domain>(*row - 'A'));
  }
  return settled(graph_of(kOpen), kSite, node_of);
}

constexpr std::array<const char*, 5> kFigure4{"AABBCCDDEEFFGGHH", "AABBCCDDEEFFGGHH", "AABBCCDDEEFFGGHH",
                                              "AABBCCDDEEFFGGHH", "IIIIIIIIJJJJJJJJ"};

TEST(PaperExample, SequentialRanksCross17NodesAnd1Socket) { expect(kOpen, sequential(kSite, 80), {69, 17}, {10, 1}); }

TEST(PaperExample, RoundRobinCrosses28NodesAndNoSocket) { expect(kOpen, round_robin(kSite, 80), {139, 28}, {0, 0}); }

TEST(PaperExample, BlockCyclicCrosses17NodesAnd7Sockets) { expect(kOpen, block_cyclic(kSite, 80), {69, 17}, {70, 7}); }

TEST(PaperExample, ClosedInBothDirectionsItIs18And32) {
  expect(kTorus, sequential(kSite, 80), {90, 18}, {10, 1});
  expect(kTorus, round_robin(kSite, 80), {160, 32}, {0, 0});
}

TEST(PaperExample, Figure4aCrosses10NodesAnd4Sockets) {
  Mapping mapping(80);
  for (Rank rank = 0; rank < 80; ++rank) {
    const Rank row = rank / 16, column = rank % 16;
    mapping[rank] = row < 4 ? column / 2 * 8 + column % 2 * 4 + row : 64 + column;
  }
  expect(kOpen, mapping, {45, 10}, {34, 4});
}

TEST(PaperExample, Figure4bCrosses10NodesAnd2Sockets) { expect(kOpen, of_letters(kFigure4), {45, 10}, {18, 2}); }

TEST(PaperExample, WiderBlocksCross12Nodes) {
  expect(
      kOpen,
      of_letters({"AAAABBBBCCCCDDDD", "AAAABBBBCCCCDDDD", "EEEEFFFFGGGGHHHH", "EEEEFFFFGGGGHHHH", "IIIIIIIIJJJJJJJJ"}),
      {45, 12}, {18, 2});
}

TEST(PaperExample, ColumnMajorRanksCross12NodesAnd4Sockets) {
  Mapping mapping(80);
  for (Rank rank = 0; rank < 80; ++rank) mapping[rank] = rank % 16 * 5 + rank / 16;
  expect(kOpen, mapping, {53, 12}, {38, 4});
}

TEST(PaperExample, TheKnownOptimumCrosses9Nodes) {
  expect(
      kOpen,
      of_letters({"ABBBDDDFFFHHHHII", "ABBBDDDFFFHHHHII", "AABBDDEEFFGGIIII", "AACCCCEEEGGGJJJJ", "AACCCCEEEGGGJJJJ"}),
      {41, 9}, {25, 3});
}

TEST(PaperExample, TheKnownLayoutOf2SocketsCrosses10Nodes) {
  expect(
      kOpen,
      of_letters({"AACCCCEEFFHHHHJJ", "AACCCCEEFFHHHHJJ", "AAAADDEEFFGGIIJJ", "BBBBDDEEFFGGIIJJ", "BBBBDDDDGGGGIIII"}),
      {43, 10}, {20, 2});
}

void expect_answer(const Grid& grid, const Objective& objective, Figures nodes, Figures most_sockets) {
  const Graph graph = graph_of(grid);
  const Answer answer = mapped(graph, &grid, kSite, objective);
  ASSERT_TRUE(oracle::is_injective(answer.mapping, kSite));
  EXPECT_EQ(oracle::figures(oracle::edges(grid), kSite, answer.mapping, 0), nodes);
  const Figures sockets = oracle::figures(oracle::edges(grid), kSite, answer.mapping, 1);
  EXPECT_LE(sockets.sum, most_sockets.sum);
  EXPECT_LE(sockets.worst, most_sockets.worst);
  EXPECT_EQ(oracle::told(answer.cut, 0), nodes);
  EXPECT_EQ(oracle::told(answer.cut, 1), sockets);
}

TEST(PaperExample, OursIsTheOptimumAndProven) {
  for (const Aim aim : {Aim::worst, Aim::sum}) {
    expect_answer(kOpen, {aim}, {41, 9}, {25, 3});
    const Answer answer = mapped(graph_of(kOpen), &kOpen, kSite, {aim});
    EXPECT_EQ(answer.bounds[0].sum, 41);
    EXPECT_EQ(answer.bounds[0].worst, 9);
  }
}

TEST(PaperExample, OursKeepsToTwoSocketsOnRequest) {
  expect_answer(kOpen, {Aim::worst, {}, {kNoLimit, 2}}, {43, 10}, {20, 2});
  expect_answer(kOpen, {Aim::worst, {}, {kNoLimit, 1}}, {54, 12}, {10, 1});
}

TEST(PaperExample, CostsOfLevelsChooseBetweenTheSame) {
  expect_answer(kOpen, {Aim::time, {1, 0.1}}, {41, 9}, {25, 3});
  expect_answer(kOpen, {Aim::time, {2, 3}}, {43, 10}, {20, 2});
  expect_answer(kOpen, {Aim::time, {1, 5}}, {63, 14}, {0, 0});  // pieces of a node that do not touch
}

TEST(PaperExample, OursIsTheOptimumOfTheTorus) {
  for (const Aim aim : {Aim::worst, Aim::sum}) expect_answer(kTorus, {aim}, {60, 12}, {28, 3});
}

// Section 3.1.2 and figure 5: one process a node with eight threads. A sub-domain's edge is 10 here, so a process of 2.5 x 3.2
// sub-domains exchanges 32 across its long sides and 25 across its short ones.
TEST(PaperExample, TheHybridCaseCrosses3NodesWithAVolumeOf8Point2) {
  const Grid grid{{2, 5}, {}, {32, 25}};
  const Site site({{10, node_shape("pack:2 core:4")}}, 8);
  ASSERT_EQ(site.places(), 10U);
  const Answer answer = mapped(graph_of(grid), &grid, site, {});
  EXPECT_EQ(answer.cut[0].edges.worst, 3);
  EXPECT_EQ(answer.cut[0].weight.worst, 82);
}

// Section 3.1.3: one process a socket, as 2x10 with pairs side by side, or as 4x5 with pairs one above the other. A
// twentieth of a sub-domain's edge is 1 here.
TEST(PaperExample, TheMixedCasesCrossNodesWithThatVolumeToo) {
  const Site site({{10, node_shape("pack:2 core:4")}}, 4);
  ASSERT_EQ(site.places(), 20U);
  const Grid flat{{2, 10}, {}, {32, 50}}, tall{{4, 5}, {}, {64, 25}};
  const Cut beside = cut_of(graph_of(flat), site, sequential(site, 20));
  EXPECT_EQ(beside[0].edges.worst, 4);
  EXPECT_EQ(beside[0].weight.worst, 164);
  EXPECT_EQ(beside[1].weight.worst, 50);
  Mapping stacked(20);
  for (Rank rank = 0; rank < 20; ++rank) stacked[rank] = (rank / 10 * 5 + rank % 5) * 2 + rank / 5 % 2;
  const Cut above = cut_of(graph_of(tall), site, stacked);
  EXPECT_EQ(above[0].edges.worst, 5);
  EXPECT_EQ(above[0].weight.worst, 164);
  EXPECT_EQ(above[1].weight.worst, 64);
  for (const auto& [grid, known] : {std::pair(flat, beside), std::pair(tall, above)}) {
    for (const Aim aim : {Aim::worst, Aim::sum}) {
      const Cut ours = mapped(graph_of(grid), &grid, site, {aim}).cut;
      EXPECT_EQ(ours[0].edges.worst, known[0].edges.worst);
      EXPECT_EQ(ours[0].weight, known[0].weight);
      EXPECT_EQ(ours[1].weight.worst, known[1].weight.worst);
    }
  }
}

}  // namespace
