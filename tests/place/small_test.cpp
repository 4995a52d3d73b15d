// SPDX-License-Identifier: BSD-3-Clause
// Small jobs on any nodes: the answer is the best of all mappings by the whole objective, and proven.
#include "place/small.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "oracle.hpp"
#include "place/bounds/weighed.hpp"
#include "place/division/all_levels.hpp"

namespace {

using namespace comity::place;

// Of all mappings to the domains of the innermost level.
struct Least {
  std::optional<Key> key;
  Weight sum = std::numeric_limits<Weight>::max(), worst = sum;  // of the outermost level
  double time = std::numeric_limits<double>::infinity();
};

Least least_of(const std::vector<Edge>& edges, std::size_t ranks, const Site& site, const Objective& objective) {
  Least least;
  oracle::every_division(ranks, site.levels().back().sizes(), [&](const std::vector<Domain>& leaf_of) {
    std::vector<Place> next = site.levels().back().first;
    Mapping mapping;
    for (const Domain leaf : leaf_of) mapping.push_back(next[leaf]++);
    Cut cut;
    for (std::size_t level = 0; level < site.levels().size(); ++level) {
      const oracle::Figures figures = oracle::figures(edges, site, mapping, level);
      cut.push_back({{figures.sum, figures.worst}, {}});
    }
    Key key = key_of(objective, cut);
    if (!least.key || key < *least.key) least.key = std::move(key);
    least.sum = std::min(least.sum, cut[0].weight.sum);
    least.worst = std::min(least.worst, cut[0].weight.worst);
    least.time = std::min(least.time, time_of(objective, cut));
  });
  return least;
}

void expect_the_best(const std::vector<Edge>& edges, std::uint32_t ranks, const Site& site,
                     const Objective& objective) {
  const Graph graph(ranks, edges);
  const Answer answer = mapped(graph, nullptr, site, objective);
  ASSERT_TRUE(oracle::is_injective(answer.mapping, site));
  for (std::size_t level = 0; level < site.levels().size(); ++level) {
    ASSERT_EQ(oracle::told(answer.cut, level), oracle::figures(edges, site, answer.mapping, level));
  }
  const Least least = least_of(edges, ranks, site, objective);
  EXPECT_EQ(key_of(objective, answer.cut), *least.key);
  EXPECT_EQ(answer.bounds[0].sum, least.sum);
  EXPECT_EQ(answer.bounds[0].worst, least.worst);
  if (objective.aim == Aim::time && objective.at_most.empty()) {
    EXPECT_DOUBLE_EQ(least_time(site, objective, answer), least.time);
  }
}

Objective random_objective(oracle::Dice& dice) {
  Objective objective{static_cast<Aim>(dice.from(0, 2))};
  if (objective.aim == Aim::time) objective.costs = {1.0 * dice.from(1, 10), 1.0 * dice.from(1, 10)};
  if (dice.from(0, 2) == 0) objective.at_most = {kNoLimit, static_cast<Weight>(dice.from(0, 8))};
  return objective;
}

TEST(SmallJobs, AreMappedAsWellAsAnyMappingIsOnNodesWithPackages) {
  oracle::Dice dice(31);
  for (int i = 0; i < oracle::jobs(120); ++i) {
    const std::uint32_t ranks = dice.from(6, 8);
    expect_the_best(dice.edges(ranks, dice.from(ranks, 3 * ranks)), ranks, oracle::site(2, "pack:2 core:2"),
                    random_objective(dice));
  }
}

TEST(SmallJobs, AreMappedAsWellAsAnyMappingIsOnNodesThatAreUnlike) {
  oracle::Dice dice(32);
  for (int i = 0; i < oracle::jobs(90); ++i) {
    const Site site({{1, node_shape("core:5")}, {1, node_shape("pack:2 core:2")}});
    const std::uint32_t ranks = dice.from(5, 8);
    expect_the_best(dice.edges(ranks, dice.from(ranks, 3 * ranks)), ranks, site, random_objective(dice));
  }
}

// The first one's packages have a core each.
TEST(SmallJobs, AreMappedAsWellAsAnyMappingIsBesidePackagesOfOneCore) {
  oracle::Dice dice(34);
  for (int i = 0; i < oracle::jobs(60); ++i) {
    const Site site({{1, node_shape("pack:3 core:1")}, {1, node_shape("pack:2 core:2")}});
    ASSERT_EQ(site.levels().size(), 2U);
    ASSERT_EQ(site.levels()[1].domains(), 5U);
    const std::uint32_t ranks = dice.from(4, 7);
    expect_the_best(dice.edges(ranks, dice.from(ranks, 3 * ranks)), ranks, site, random_objective(dice));
  }
}

// Three of its levels divide cores, of which two are inside nodes.
TEST(SmallJobs, AreMappedAsWellAsAnyMappingIsOnThreeLevels) {
  oracle::Dice dice(33);
  for (int i = 0; i < oracle::jobs(30); ++i) {
    const std::uint32_t ranks = dice.from(5, 6);
    Objective objective = random_objective(dice);
    objective.costs = {9, 3, 1};
    expect_the_best(dice.edges(ranks, 2 * ranks), ranks, oracle::site(2, "pack:2 l2:2 core:1"), objective);
  }
}

// Of unlike nodes 5 and 4 cells of nine cut 4 at least, which surfaces alone do not prove.
TEST(SmallJobs, HaveProvenBoundsOnNodesThatAreUnlike) {
  const Grid grid{{3, 3}};
  const Answer answer = mapped(graph_of(grid), &grid, Site({{1, node_shape("core:5")}, {1, node_shape("core:4")}}), {});
  EXPECT_EQ(answer.cut[0].weight, (Crossing{4, 4}));
  EXPECT_EQ(answer.bounds[0].sum, 4);
  EXPECT_EQ(answer.bounds[0].worst, 4);
}

// With the limit the best has 13 between nodes; what divides nodes first finds 23.
TEST(SmallJobs, KeepALimitInsideNodesAtTheLeastCostBetweenThem) {
  const std::vector<Edge> edges{{3, 4, 6}, {4, 5, 2}, {3, 0, 5}, {6, 1, 1}, {4, 6, 1}, {2, 6, 1},
                                {2, 3, 1}, {2, 1, 1}, {2, 5, 1}, {3, 1, 5}, {3, 2, 6}, {4, 0, 3}};
  const Answer answer =
      mapped(Graph(7, edges), nullptr, oracle::site(2, "pack:2 core:2"), {Aim::sum, {}, {kNoLimit, 7}});
  EXPECT_EQ(answer.cut[0].weight.sum, 13);
  EXPECT_EQ(answer.bounds[0].sum, least_of(edges, 7, oracle::site(2, "pack:2 core:2"), {Aim::sum}).sum);
  EXPECT_LE(answer.cut[1].weight.worst, 7);
}

TEST(AllMappings, SaySoWhereTheyAreTooManyToTry) {
  oracle::Dice dice(34);
  const Graph graph(24, dice.edges(24, 90));
  const Site site = oracle::site(3, "pack:2 core:4");
  const Objective objective;
  const Portions untold;
  const Key known{1e9};
  EXPECT_FALSE(best_of_all_mappings({graph, site, objective, known, 50, untold}).all);
  const Graph larger(25, {});
  EXPECT_FALSE(best_of_all_mappings({larger, oracle::site(5, "core:5"), objective, known, 50, untold}).all);
  const Graph none(2, {});
  const TriedMappings tried = best_of_all_mappings({none, site, objective, known, 50, untold});
  EXPECT_TRUE(tried.all && tried.better);
}

}  // namespace
