// SPDX-License-Identifier: BSD-3-Clause
// Processes that run already get ranks that fit where they are: whatever the launcher did, on nodes alike or not.
#include "place/seats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "oracle.hpp"
#include "place/division/launchers.hpp"
#include "place/mapper.hpp"

namespace {

using namespace comity::place;

// The seats of a site's places, one package a domain of its second level, in the order that a launcher gives ranks.
std::vector<Seat> seats_of(const Site& site, const Mapping& mapping) {
  std::vector<Seat> seats;
  for (const Place place : mapping) {
    const Domain node = site.domain_of(0)[place];
    Seat seat{1000U - node, static_cast<std::int32_t>(place), {kNoObject, kNoObject, kNoObject, kNoObject}};
    if (site.levels().size() > 1) seat.enclosing[0] = static_cast<std::int32_t>(site.domain_of(1)[place]);
    seats.push_back(seat);
  }
  return seats;
}

// Which process has each rank, as a mapping onto the site.
Mapping places_of(const Reordering& found, const Mapping& mapping, std::size_t ranks) {
  Mapping places(ranks, ~Place{0});
  for (std::size_t process = 0; process < mapping.size(); ++process) {
    if (found.new_rank[process] != kNoRank)
      places[static_cast<std::size_t>(found.new_rank[process])] = mapping[process];
  }
  return places;
}

TEST(Seats, OfRanksDealtRoundRobinGiveThePapersBestOrder) {
  const Grid grid{{5, 16}};
  const Site site = oracle::site(10, "pack:2 core:4");
  const Mapping dealt = round_robin(site, 80);
  const Reordering found = reordered(graph_of(grid), &grid, seats_of(site, dealt));
  EXPECT_EQ(oracle::told(found.before, 0), (oracle::Figures{139, 28}));
  EXPECT_EQ(oracle::told(found.after, 0), (oracle::Figures{41, 9}));
  EXPECT_LE(found.after[1].weight.worst, 3);
  const Mapping places = places_of(found, dealt, 80);
  ASSERT_TRUE(oracle::is_injective(places, site));
  EXPECT_EQ(oracle::figures(oracle::edges(grid), site, places, 0), (oracle::Figures{41, 9}));
  EXPECT_EQ(found.levels, (std::vector<std::string>{"node", "package"}));
  EXPECT_EQ(found.bounds[0].sum, 41);
  EXPECT_EQ(found.bounds[0].worst, 9);
  EXPECT_EQ(found.bounds[1].sum, 18);
}

// The bounds are those of what crosses in the order that stays; a graph's are flows', for it has no surfaces.
TEST(Seats, ThatKeepTheirOrderHaveItsBounds) {
  const Graph chain = graph_of(Grid{{32}});
  const Site site = oracle::site(2, "pack:2 core:8");
  const Reordering kept = reordered(chain, nullptr, seats_of(site, sequential(site, 32)));
  EXPECT_EQ(kept.before[0].weight, kept.after[0].weight);
  EXPECT_EQ(kept.bounds[0].sum, 1);
  EXPECT_EQ(kept.bounds[1].sum, 2);
  const Site one = oracle::site(1, "core:32");
  const Reordering alone = reordered(chain, nullptr, seats_of(one, sequential(one, 32)));
  ASSERT_EQ(alone.bounds.size(), 1U);
  EXPECT_EQ(alone.bounds[0].sum, 0);
}

// 18 between nodes and 2 inside weigh less than 16 and 4 where packages cost more, and 22 and none, of pieces that do not touch, less than
// these.
TEST(Seats, WeighLevelsByCostsOfTheirNames) {
  const Grid grid{{16, 16}};
  const Site site = oracle::site(16, "pack:2 core:8");
  const std::vector<Seat> seats = seats_of(site, round_robin(site, 256));
  const auto found = [&](const char* costs) {
    return reordered(graph_of(grid), &grid, seats, {Aim::time}, parse_named_costs(costs));
  };
  EXPECT_EQ(found("").after[0].weight.worst, 16);
  const Reordering costly = found("node=1,l3=9,package=5");
  EXPECT_EQ(costly.time, 22);
  EXPECT_LE(costly.least_time, costly.time);
  EXPECT_GE(costly.least_time, 16);
}

// Any order would be called optimal.
TEST(Seats, CostsThatAreAllNothingAreRefused) {
  const Grid grid{{4, 4}};
  const Site site = oracle::site(2, "pack:2 core:4");
  const std::vector<Seat> seats = seats_of(site, round_robin(site, 16));
  const auto order = [&](Aim aim, const char* costs) {
    (void)reordered(graph_of(grid), &grid, seats, {aim}, parse_named_costs(costs));
  };
  EXPECT_THROW(order(Aim::time, "node=0,package=0"), comity::Error);
  EXPECT_THROW(order(Aim::time, "node=0,package=0,l3=5"), comity::Error) << "there is no such level";
  EXPECT_NO_THROW(order(Aim::time, "node=0"));
  EXPECT_NO_THROW(order(Aim::worst, "node=0,package=0")) << "which costs do not matter to";
  const std::vector<Seat> alone(1, Seat{});
  EXPECT_NO_THROW((void)reordered(graph_of({{1}}), nullptr, alone, {Aim::time}, parse_named_costs("node=0")));
}

TEST(NamedCosts, WithoutSenseAreRefused) {
  EXPECT_EQ(parse_named_costs(""), NamedCosts{});
  EXPECT_EQ(parse_named_costs("node=1.5,l2=0"), (NamedCosts{{"node", 1.5}, {"l2", 0}}));
  for (const char* text : {",", "node", "node=", "node=1,", ",node=1", "node=-1", "node=nan", "node=1e-10", "node=1e10",
                           "node=1x", "rack=1", "node=1,node=2", "node=1;l2=1"}) {
    EXPECT_THROW((void)parse_named_costs(text), comity::Error) << text;
  }
}

struct Question {
  std::string name;
  Site site;
  std::size_t ranks;
  std::vector<Edge> edges;
};

// Each objective's order is held against the others' by what it makes small itself.
void expect_each_objective_to_win(const Question& asked) {
  constexpr std::array kAims{Aim::worst, Aim::sum, Aim::time};
  const Graph graph(asked.ranks, asked.edges);
  std::vector<Cut> cuts;
  for (const Aim aim : kAims) {
    const Mapping dealt = round_robin(asked.site, static_cast<std::uint32_t>(asked.ranks));
    cuts.push_back(reordered(graph, nullptr, seats_of(asked.site, dealt), {aim}).after);
  }
  for (std::size_t own = 0; own < cuts.size(); ++own) {
    for (std::size_t other = 0; other < cuts.size(); ++other) {
      EXPECT_LE(key_of({kAims[own]}, cuts[own]), key_of({kAims[own]}, cuts[other]))
          << asked.name << ": objective " << own << " against " << other;
    }
  }
}

// Ranks 0 and 1 exchange most, also with others: together they leave the least between nodes, and one node most of that.
TEST(Seats, HaveTheWorstNodeOrTheSumSmallAsIsAsked) {
  const Question star{"star", oracle::site(3, "core:2"), 6, {{0, 1, 7}, {0, 2, 3}, {0, 3, 3}, {1, 4, 3}, {1, 5, 3}}};
  const auto nodes = [&](Aim aim) {
    const auto found = reordered(Graph(6, star.edges), nullptr, seats_of(star.site, round_robin(star.site, 6)), {aim});
    return oracle::told(found.after, 0);
  };
  EXPECT_EQ(nodes(Aim::worst), (oracle::Figures{13, 10}));
  EXPECT_EQ(nodes(Aim::sum), (oracle::Figures{12, 12}));
  expect_each_objective_to_win(star);
}

// Pairs that stay together: a little more between nodes has half of it between packages.
TEST(Seats, WeighNodesAndPackagesAgainstOneAnother) {
  const Question pairs{"pairs",
                       oracle::site(2, "pack:2 core:2"),
                       8,
                       {{0, 1, 1000}, {2, 3, 1000}, {4, 5, 1000}, {6, 7, 1000}, {0, 2, 200}, {0, 4, 100}, {2, 6, 95}}};
  const auto worst = [&](Aim aim) {
    const auto found =
        reordered(Graph(8, pairs.edges), nullptr, seats_of(pairs.site, round_robin(pairs.site, 8)), {aim});
    return std::pair(found.after[0].weight.worst, found.after[1].weight.worst);
  };
  EXPECT_EQ(worst(Aim::worst), std::pair(Weight{195}, Weight{200}));
  EXPECT_EQ(worst(Aim::time), std::pair(Weight{200}, Weight{100}));
  expect_each_objective_to_win(pairs);
}

// Of pairs, too. The least between nodes has a node in two pieces, of which the exact search finds none as good; what is given up
// there is given up from that one.
TEST(Seats, AreWeighedAlsoWhereTheBestNodesAreNotConnected) {
  const std::vector<Edge> edges{{0, 1, 1000}, {2, 3, 1000}, {4, 5, 1000}, {6, 7, 1000}, {8, 9, 1000}, {10, 11, 1000},
                                {7, 9, 135},  {11, 7, 194}, {1, 6, 163},  {9, 2, 150},  {9, 7, 210},  {5, 0, 166}};
  const Graph pairs(12, edges);
  const auto worst = [&](Aim aim) {
    const Cut cut = mapped(pairs, nullptr, oracle::site(3, "pack:2 core:2"), {aim}).cut;
    return std::pair(cut[0].weight.worst, cut[1].weight.worst);
  };
  EXPECT_EQ(worst(Aim::worst), std::pair(Weight{507}, Weight{345}));
  EXPECT_EQ(worst(Aim::time), std::pair(Weight{508}, Weight{194}));
}

TEST(Seats, AreOrderedBestByTheObjectiveThatWasAsked) {
  oracle::Dice dice(47);
  for (int i = 0; i < oracle::jobs(90); ++i) {
    const std::size_t nodes = dice.from(2, 4);
    const Site site = oracle::site(nodes, i % 3 == 0 ? "core:4" : "pack:2 core:2");
    const auto ranks = static_cast<std::uint32_t>(site.places());
    const std::vector<Edge> edges = dice.edges(ranks, dice.from(ranks, 3 * ranks));
    expect_each_objective_to_win({"job " + std::to_string(i), site, ranks, edges});
  }
}

TEST(Seats, KeepTheirOrderWhereNothingIsBetter) {
  const Grid chain{{16}};
  const Site site = oracle::site(2, "pack:2 core:4");
  const Reordering found = reordered(graph_of(chain), &chain, seats_of(site, sequential(site, 16)));
  std::vector<std::int32_t> own(16);
  std::iota(own.begin(), own.end(), 0);
  EXPECT_EQ(found.new_rank, own);
  EXPECT_EQ(found.before[0].weight, found.after[0].weight);
}

TEST(Seats, OfNodesOfDifferentShapesAndSizesAreUsedAsTheyAre) {
  oracle::Dice dice(21);
  const std::vector<NodeShape> shapes{node_shape("pack:2 core:3"), node_shape("core:5"), node_shape("pack:3 core:2")};
  for (int i = 0; i < 12; ++i) {
    const Site site({{dice.from(1, 2), shapes[dice.from(0, 2)]}, {dice.from(1, 3), shapes[dice.from(0, 2)]}});
    const auto processes = static_cast<std::uint32_t>(site.places());
    Mapping dealt = i % 2 == 0 ? round_robin(site, processes) : sequential(site, processes);
    std::swap(dealt.front(), dealt[dice.from(0, processes - 1)]);
    const std::uint32_t ranks = dice.from(1, processes);
    const std::vector<Edge> edges = dice.edges(ranks, 3 * ranks);
    const Graph graph(ranks, edges);
    const Reordering found = reordered(graph, nullptr, seats_of(site, dealt));
    const Mapping places = places_of(found, dealt, ranks);
    ASSERT_TRUE(oracle::is_injective(places, site));
    EXPECT_LE(key_of({}, found.after), key_of({}, found.before));
    EXPECT_EQ(oracle::figures(edges, site, places, 0), oracle::told(found.after, 0));
    EXPECT_EQ(oracle::figures(edges, site, Mapping(dealt.begin(), dealt.begin() + ranks), 0),
              oracle::told(found.before, 0));
  }
}

// All on the same PUs: nothing but nodes tells them apart.
TEST(Seats, OfUnboundProcessesDivideByNodesAlone) {
  std::vector<Seat> seats;
  for (std::uint64_t i = 0; i < 8; ++i) seats.push_back({i % 2, 0, {kNoObject, kNoObject, kNoObject, kNoObject}});
  const Grid chain{{8}};
  const Reordering found = reordered(graph_of(chain), &chain, seats);
  ASSERT_EQ(found.after.size(), 1U);
  EXPECT_EQ(found.before[0].weight.sum, 7);
  EXPECT_EQ(found.after[0].weight.sum, 1);
}

TEST(Seats, OfANodeWithOneUnboundProcessTellNoPackages) {
  std::vector<Seat> seats;
  for (std::int32_t i = 0; i < 4; ++i) seats.push_back({1, i, {i % 2, kNoObject, kNoObject, kNoObject}});
  const Graph graph(4, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}});
  seats[3].enclosing[0] = kNoObject;
  EXPECT_EQ(seating_of(seats).site.levels().size(), 1U);
}

// Two processes a package on one node, one a package on the other, where the heavy pair sits: it crosses there.
TEST(Seats, OfPackagesOfOneProcessAreToldApart) {
  std::vector<Seat> seats;
  for (std::int32_t i = 0; i < 4; ++i) seats.push_back({0, i, {i / 2, kNoObject, kNoObject, kNoObject}});
  for (std::int32_t i = 0; i < 2; ++i) seats.push_back({1, i, {i, kNoObject, kNoObject, kNoObject}});
  const Graph graph(6, std::vector<Edge>{{4, 5, 9}});
  const Reordering found = reordered(graph, nullptr, seats);
  ASSERT_EQ(found.levels, (std::vector<std::string>{"node", "package"}));
  EXPECT_EQ(found.before[1].weight.sum, 9);
  EXPECT_EQ(found.after[1].weight.sum, 0);
  EXPECT_EQ(seating_of(std::span(seats).subspan(4)).site.levels().size(), 2U) << "where all have one process too";
}

// PUs of two packages have numbers in turn on many machines; L3s there lie inside packages.
TEST(Seats, OfPackagesWhosePositionsInterleaveAreGathered) {
  std::vector<Seat> seats;
  for (std::int32_t i = 0; i < 8; ++i) seats.push_back({1, i, {i % 2, kNoObject, i % 4, kNoObject}});
  const Seating seating = seating_of(seats);
  EXPECT_EQ(seating.rank_at, (std::vector<Rank>{0, 4, 2, 6, 1, 5, 3, 7}));
  ASSERT_EQ(seating.site.levels().size(), 3U);
  EXPECT_EQ(seating.site.levels()[1].first, (std::vector<Place>{0, 4, 8}));
  EXPECT_EQ(seating.site.levels()[2].first, (std::vector<Place>{0, 2, 4, 6, 8}));
  const Grid chain{{8}};
  const Reordering found = reordered(graph_of(chain), &chain, seats);
  EXPECT_EQ(found.before[1].weight.sum, 7);
  EXPECT_EQ(found.after[1].weight.sum, 1);
}

TEST(Seats, AreLeftEmptyWhereTheJobIsSmaller) {
  const Grid grid{{2, 3}};
  const Site site = oracle::site(2, "core:4");
  const Reordering found = reordered(graph_of(grid), &grid, seats_of(site, round_robin(site, 8)));
  EXPECT_EQ(std::count(found.new_rank.begin(), found.new_rank.end(), kNoRank), 2);
}

TEST(Seats, AreTooFewForALargerJob) {
  const Grid grid{{3, 3}};
  try {
    (void)reordered(graph_of(grid), &grid, seats_of(oracle::site(2, "core:4"), {0, 1, 2, 3, 4, 5, 6, 7}));
    FAIL();
  } catch (const comity::Error& error) {
    EXPECT_STREQ(error.what(),
                 "order 8 processes: the grid or graph has 9 ranks; make it smaller, or start more processes");
  }
}

}  // namespace
