// SPDX-License-Identifier: BSD-3-Clause
// Jobs with fewer ranks than places below switches: few of these take part.
#include "place/below.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "oracle.hpp"
#include "place/network.hpp"

namespace {

using namespace comity::place;

// Below one switch each, so many nodes.
Network floor_of(const std::vector<std::size_t>& nodes_of_switches) {
  std::vector<Switch> tree;
  std::size_t node = 0;
  for (const std::size_t nodes : nodes_of_switches) {
    Switch one{"s" + std::to_string(tree.size())};
    for (std::size_t i = 0; i < nodes; ++i) one.nodes.push_back("n" + std::to_string(node++));
    tree.push_back(std::move(one));
  }
  return switch_tree(tree, "tree");
}

Site site_of(const Network& network, const std::vector<NodeRun>& nodes) {
  return Site(in_order(nodes, network.order), 1, network.levels, network.order);
}

Site below_switches(const std::vector<std::size_t>& nodes_of_switches, const char* node) {
  const Network network = floor_of(nodes_of_switches);
  return site_of(network, {{network.order.size(), node_shape(node)}});
}

TEST(Below, AJobGoesIntoTheSmallestPartWithRoom) {
  const auto part = [](const std::vector<std::size_t>& nodes, std::size_t ranks) {
    std::vector<Domain> domains;
    for (const Part& one : parts_with_room(below_switches(nodes, "core:8"), ranks)) {
      EXPECT_EQ(one.level, 0U);
      domains.push_back(one.domain);
    }
    return domains;
  };
  EXPECT_EQ(part({1, 4}, 32), std::vector<Domain>{1});
  EXPECT_EQ(part({4, 3, 4}, 20), std::vector<Domain>{1});
  EXPECT_EQ(part({4, 3, 4}, 33), std::vector<Domain>{});
}

// Small nodes lie below a small switch; of large ones fewer take part.
TEST(Below, AJobAlsoGoesWhereFewerNodesHaveRoom) {
  const Network network = floor_of({5, 3});
  const Site site = site_of(network, {{5, node_shape("core:2")}, {3, node_shape("core:8")}});
  const std::vector<Part> parts = parts_with_room(site, 8);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].domain, 0U);
  EXPECT_EQ(parts[1].domain, 1U);
  const Site large = site.below(0, 1);
  EXPECT_EQ(large.places(), 24U);
  EXPECT_EQ(large.node_level(), 0U);
  EXPECT_EQ(large.number_of(0), 5U);
  EXPECT_EQ(large.core(0), 10U);
}

TEST(Below, SharesTakeFewLargeDomains) {
  const Site site = below_switches({1, 3, 4}, "core:4");
  const std::vector<Shares> ways = shares_below(site, 26);
  EXPECT_EQ(ways[0], (Shares{0, 4, 4, 2, 4, 4, 4, 4})) << "one switch behind the other";
  EXPECT_EQ(ways[1], (Shares{0, 4, 4, 4, 3, 3, 4, 4})) << "evenly on two";
  EXPECT_EQ(shares_below(below_switches({3, 3, 1}, "core:4"), 16).front(), (Shares{4, 4, 4, 0, 0, 0, 4}))
      << "what is left goes where it leaves no room";
}

void expect_nothing_across(const std::vector<std::size_t>& nodes, const Grid& grid, Aim aim) {
  const Site site = below_switches(nodes, "core:8");
  const Answer answer = mapped(graph_of(grid), &grid, site, {aim});
  EXPECT_TRUE(oracle::is_injective(answer.mapping, site));
  ASSERT_EQ(answer.cut.size(), 2U);
  EXPECT_EQ(answer.cut[0].weight, Crossing{});
  EXPECT_EQ(answer.cut[1].weight, (Crossing{12, 12})) << "of four boxes";
}

// The first switch has one node; a job that took nodes in their order crossed to the second one.
TEST(Below, AJobThatFitsBelowOneSwitchCrossesNone) {
  for (const Aim aim : {Aim::worst, Aim::sum, Aim::time}) expect_nothing_across({1, 4}, {{8, 4}}, aim);
}

TEST(Below, AJobThatFitsBelowTwoSwitchesTakesThese) {
  const Grid grid{{8, 8}};
  const Site site = below_switches({2, 4, 4}, "core:8");
  EXPECT_EQ(mapped(graph_of(grid), &grid, site, {}).cut[0].weight, (Crossing{8, 8}));
}

TEST(Below, LimitsOfInnerLevelsHoldForThePart) {
  const Grid grid{{8, 4}};
  const Site site = below_switches({1, 4}, "pack:2 core:4");
  const Answer answer = mapped(graph_of(grid), &grid, site, {.at_most = {0, kNoLimit, 2}});
  EXPECT_EQ(answer.cut[0].weight.worst, 0);
  EXPECT_LE(answer.cut[2].weight.worst, 2);
}

}  // namespace
