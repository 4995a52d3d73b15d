// SPDX-License-Identifier: BSD-3-Clause
// Wandering, and seeking from many starts: rooms hold, nothing gets worse, small jobs are solved, and what once was lost to others is not.
#include "place/division/seek.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "oracle.hpp"
#include "place/division/random.hpp"
#include "place/division/region.hpp"
#include "place/division/wander.hpp"

namespace {

using namespace comity::place;
using oracle::Figures;

struct Job {
  Graph graph;
  std::vector<Edge> edges;
  std::vector<std::uint32_t> rooms;  // for all ranks, or for some more
  std::vector<Domain> filled;        // the nodes filled in order
};

Job random_job(oracle::Dice& dice, std::uint32_t most_ranks) {
  Job job;
  const std::uint32_t ranks = dice.from(2, most_ranks);
  job.edges = dice.edges(ranks, dice.from(0, 3 * ranks));
  job.graph = Graph(ranks, job.edges);
  for (std::uint32_t places = 0; places < ranks; places += job.rooms.back()) job.rooms.push_back(dice.from(1, 6));
  for (Domain node = 0; node < job.rooms.size(); ++node) job.filled.insert(job.filled.end(), job.rooms[node], node);
  job.filled.resize(ranks);
  return job;
}

void expect_fits(const Job& job, const std::vector<Domain>& part) {
  ASSERT_EQ(part.size(), job.graph.ranks());
  std::vector<std::uint32_t> ranks(job.rooms.size(), 0);
  for (const Domain one : part) {
    ASSERT_LT(one, ranks.size());
    ++ranks[one];
  }
  for (std::size_t node = 0; node < ranks.size(); ++node) EXPECT_LE(ranks[node], job.rooms[node]);
}

Weight figure_of(const Job& job, const std::vector<Domain>& part, Wanted wanted) {
  const Figures figures = oracle::of_division(job.edges, part);
  return wanted == Wanted::least_sum ? figures.sum : figures.worst;
}

// Four columns of a 3x8 grid in each of four nodes: a region is a part of the row of nodes, in any order of growth.
TEST(Region, IsOfNodesThatTouch) {
  const Graph graph = graph_of(Grid{{3, 8}});
  std::vector<Domain> part;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) part.push_back(rank % 8 / 2);
  Random random(1);
  std::array<int, 4> met{};
  for (int i = 0; i < 100; ++i) {
    std::vector<Domain> region = random_region(graph, part, 4, 2, random);
    ASSERT_EQ(region.size(), 2U);
    std::ranges::sort(region);
    EXPECT_EQ(region[1], region[0] + 1);
    ++met[region[0]];
  }
  EXPECT_EQ(std::ranges::count(met, 0), 1);  // all three pairs
  EXPECT_EQ(random_region(graph, part, 4, 9, random).size(), 4U);
}

TEST(Region, EndsWhereNobodyElseIsExchangedWith) {
  const Graph graph(4, std::vector<Edge>{{0, 1, 1}});
  Random random(2);
  for (int i = 0; i < 20; ++i) EXPECT_LE(random_region(graph, {0, 1, 2, 3}, 4, 4, random).size(), 2U);
}

constexpr std::array kBoth{Wanted::least_sum, Wanted::least_worst};

TEST(Wander, KeepsRoomsAndIsNeverWorse) {
  oracle::Dice dice(70);
  for (int i = 0; i < 60; ++i) {
    const Job job = random_job(dice, 40);
    for (const Wanted wanted : kBoth) {
      SCOPED_TRACE(i);
      std::vector<Domain> part = job.filled;
      ASSERT_TRUE(wander(job.graph, part, job.rooms, {wanted, 5'000, 1}));
      expect_fits(job, part);
      EXPECT_LE(figure_of(job, part, wanted), figure_of(job, job.filled, wanted));
    }
  }
}

// A chain of 12 in which every other rank begins in a node that has no room for so many.
TEST(Wander, MakesFitWhatDoesNot) {
  const Graph graph = graph_of(Grid{{12}});
  const std::vector<std::uint32_t> rooms{4, 4, 4};
  std::vector<Domain> part{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  ASSERT_TRUE(wander(graph, part, rooms, {Wanted::least_sum, 20'000, 1}));
  EXPECT_EQ(node_cut(graph, 3, part), (Crossing{2, 2}));
}

// Two rings of clusters, taken apart: each ring fits into one node, whose ranks the clusters stand for.
TEST(Wander, MovesClustersByWhatTheyHold) {
  const Graph rings(6, std::vector<Edge>{{0, 1, 4}, {1, 2, 4}, {2, 0, 4}, {3, 4, 4}, {4, 5, 4}, {5, 3, 4}, {0, 3, 1}});
  const SizedGraph sized{rings, {5, 1, 2, 2, 4, 1}};
  std::vector<Domain> part{0, 1, 0, 1, 0, 1};
  wander_coarsely(sized, part, std::vector<std::uint32_t>{8, 7}, {Wanted::least_sum, 20'000, 1});
  EXPECT_EQ(part, (std::vector<Domain>{0, 0, 0, 1, 1, 1}));
}

TEST(Wander, SaysWhereNothingFits) {
  const Graph graph = graph_of(Grid{{6}});
  const std::vector<Domain> before(6, 0);
  std::vector<Domain> part = before;
  EXPECT_FALSE(wander(graph, part, std::vector<std::uint32_t>{2, 3}, {Wanted::least_sum, 1'000, 1}));
  EXPECT_EQ(part, before);
}

TEST(Wander, SaysOfRanksThatExchangeNothingToo) {
  const Graph graph = graph_of(Grid{{1}});
  std::vector<Domain> part{0};
  EXPECT_TRUE(wander(graph, part, std::vector<std::uint32_t>{1, 1}, {Wanted::least_sum, 1'000, 1}));
  EXPECT_FALSE(wander(graph, part, std::vector<std::uint32_t>{0, 1}, {Wanted::least_sum, 1'000, 1}));
}

std::vector<Domain> sought_for(const Job& job, Wanted wanted) {
  std::vector<std::size_t> shares(job.rooms.size(), 0);
  for (const Domain node : job.filled) ++shares[node];
  std::vector<std::vector<Domain>> found = sought({job.graph, job.rooms, {&shares, 1}, {0, 0}}, {job.filled});
  return *std::ranges::min_element(found, {}, [&](const std::vector<Domain>& part) {
    const Figures figures = oracle::of_division(job.edges, part);
    return wanted == Wanted::least_sum ? std::pair(figures.sum, figures.worst) : std::pair(figures.worst, figures.sum);
  });
}

// All but a few: it tries, and does not prove.
TEST(Seek, SolvesSmallJobs) {
  oracle::Dice dice(71);
  int missed = 0;
  for (int i = 0; i < oracle::jobs(90); ++i) {
    const Job job = random_job(dice, 9);
    for (const Wanted wanted : kBoth) {
      SCOPED_TRACE(i);
      const std::vector<Domain> part = sought_for(job, wanted);
      expect_fits(job, part);
      EXPECT_LE(figure_of(job, part, wanted), figure_of(job, job.filled, wanted));
      Weight least = figure_of(job, job.filled, wanted);
      oracle::every_division(
          job.graph.ranks(), {job.rooms.begin(), job.rooms.end()},
          [&](const std::vector<Domain>& one) { least = std::min(least, figure_of(job, one, wanted)); });
      missed += figure_of(job, part, wanted) > least ? 1 : 0;
    }
  }
  EXPECT_LE(missed, oracle::jobs(90) / 15);
}

TEST(Seek, HasTheSameAnswerAgain) {
  oracle::Dice dice(72);
  const Job job = random_job(dice, 60);
  EXPECT_EQ(sought_for(job, Wanted::least_worst), sought_for(job, Wanted::least_worst));
}

}  // namespace
