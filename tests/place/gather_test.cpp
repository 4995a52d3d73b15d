// SPDX-License-Identifier: BSD-3-Clause
// Inner domains that are filled first, and gathered into nodes: limits inside nodes that no division into nodes alone keeps.
#include "place/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "oracle.hpp"
#include "place/mapper.hpp"

namespace {

using namespace comity::place;

Answer asked(const Grid& grid, const Site& site, const Objective& objective) {
  return mapped(graph_of(grid), &grid, site, objective);
}

// Each limit, and no more between nodes than boxes have that lie apart, one a domain.
TEST(Gathered, PiecesOfANodeNeedNotTouch) {
  const Site two_packages = oracle::site(4, "pack:2 core:8");
  for (const Weight limit : {0, 1}) {
    const Answer square = asked({{8, 8}}, two_packages, {.at_most = {kNoLimit, limit}});
    EXPECT_LE(square.cut[0].weight.sum, 32);
    EXPECT_LE(square.cut[0].weight.worst, 16);
    EXPECT_LE(square.cut[1].weight.worst, limit);
  }
  const Answer wide = asked({{16, 32}}, oracle::site(4, "numa:4 core:32"), {.at_most = {kNoLimit, 8}});
  EXPECT_LE(wide.cut[0].weight.sum, 112);
  EXPECT_LE(wide.cut[0].weight.worst, 72);
  EXPECT_LE(wide.cut[1].weight.worst, 8);
}

TEST(Gathered, LimitsOfSeveralLevelsAreKeptTogether) {
  const Answer answer = asked({{16, 16}}, oracle::site(4, "pack:2 numa:2 core:16"), {.at_most = {kNoLimit, 0, 0}});
  EXPECT_LE(answer.cut[0].weight.worst, 64);  // all that four boxes of 4x4 have around them
  EXPECT_EQ(answer.cut[1].weight.worst, 0);
  EXPECT_EQ(answer.cut[2].weight.worst, 0);
}

TEST(Gathered, TimeMayCostMoreInsideThanBetweenNodes) {
  const Objective time{Aim::time, {1, 50}};
  EXPECT_LE(time_of(time, asked({{8, 8}}, oracle::site(4, "pack:2 core:8"), time).cut), 16);
  EXPECT_LE(time_of(time, asked({{16, 16}}, oracle::site(4, "pack:2 core:32"), time).cut), 32);
}

// By chance, on three levels: who shared an innermost domain still does, and each place is used once.
TEST(Gathered, DomainsMoveAsTheyAre) {
  oracle::Dice dice(7);
  const Site site = oracle::site(5, "pack:2 l3:2 core:3");
  const auto ranks = static_cast<std::uint32_t>(site.places());
  for (int job = 0; job < 20; ++job) {
    const Graph graph(ranks, dice.edges(ranks, 3 * ranks));
    Mapping before(ranks);
    std::iota(before.begin(), before.end(), Place{0});
    for (std::uint32_t i = ranks - 1; i > 0; --i) std::swap(before[i], before[dice.from(0, i)]);
    const Objective objective{.at_most = {kNoLimit, static_cast<Weight>(dice.from(0, 20)), 4}};
    const Mapping after = gathered(graph, site, objective, 2, before);
    Mapping places = after;
    std::sort(places.begin(), places.end());
    for (Place place = 0; place < ranks; ++place) ASSERT_EQ(places[place], place);
    const std::vector<Domain> was = domains_of(site, 2, before), is = domains_of(site, 2, after);
    std::vector<Domain> to(site.levels()[2].domains(), ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (to[was[rank]] == ranks) to[was[rank]] = is[rank];
      ASSERT_EQ(to[was[rank]], is[rank]) << "rank " << rank << ", job " << job;
    }
    EXPECT_LE(key_of(objective, cut_of(graph, site, after))[0], key_of(objective, cut_of(graph, site, before))[0]);
  }
}

TEST(Gathered, OnlyLevelsWithALimitOrADearOneAreFilledFirst) {
  const Site site = oracle::site(5, "pack:2 l3:2 core:3");
  using Levels = std::vector<std::size_t>;
  EXPECT_EQ(levels_to_fill_first(site, {}), Levels());
  EXPECT_EQ(levels_to_fill_first(site, {.at_most = {3}}), Levels());
  EXPECT_EQ(levels_to_fill_first(site, {.at_most = {kNoLimit, kNoLimit, 5}}), Levels{2});
  EXPECT_EQ(levels_to_fill_first(site, {Aim::time}), Levels());
  EXPECT_EQ(levels_to_fill_first(site, {Aim::time, {1, 2, 1}}), Levels{1});
  const Site unlike({{1, node_shape("pack:2 core:2")}, {1, node_shape("pack:2 core:3")}});
  EXPECT_EQ(levels_to_fill_first(unlike, {.at_most = {kNoLimit, 0}}), Levels());
}

TEST(Gathered, DomainsOfALevelAreASiteOfTheirOwn) {
  const Site inner = oracle::site(2, "pack:2 l3:2 core:3").of_level(1);
  ASSERT_EQ(inner.levels().size(), 2U);
  EXPECT_EQ(inner.levels()[0].name, "node");
  EXPECT_EQ(inner.levels()[0].first, (std::vector<Place>{0, 6, 12, 18, 24}));
  EXPECT_EQ(inner.levels()[1].domains(), 8U);
  EXPECT_EQ(inner.domain_of(0)[13], 2U);
}

}  // namespace
