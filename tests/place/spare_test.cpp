// SPDX-License-Identifier: BSD-3-Clause
// Jobs with fewer ranks than places on nodes that are alike: what a machine does is no worse than what a part of it does.
#include "place/spare.hpp"

#include <gtest/gtest.h>

#include <string>

#include "oracle.hpp"
#include "place/division/boxes.hpp"

namespace {

using namespace comity::place;

Crossing crossing_of(const Grid& grid, std::uint32_t nodes, std::uint32_t cores, const Objective& objective = {}) {
  const Site site = oracle::site(nodes, "core:" + std::to_string(cores));
  return mapped(graph_of(grid), &grid, site, objective).cut.front().weight;
}

bool no_worse(const Crossing& one, const Crossing& other) {
  return std::pair(one.worst, one.sum) <= std::pair(other.worst, other.sum);
}

struct Machine {
  std::uint32_t nodes, cores;
};

struct Job {
  Grid grid;
  Machine whole, part;
  Crossing least;  // known of the part
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> all{
      {{{6, 6}}, {6, 16}, {4, 9}, {12, 6}},       {{{6, 6}}, {12, 16}, {12, 6}, {28, 5}},
      {{{8, 8}}, {16, 16}, {14, 9}, {42, 6}},     {{{8, 8}}, {8, 24}, {4, 24}, {16, 8}},
      {{{12, 12}}, {8, 64}, {4, 64}, {24, 12}},   {{{5, 5, 5}}, {4, 64}, {4, 50}, {49, 27}},
      {{{9, 9}}, {24, 16}, {24, 8}, {70, 6}},     {{{5, 5, 5}}, {32, 16}, {32, 6}, {183, 13}},
      {{{40, 40}}, {6, 700}, {4, 700}, {80, 40}}, {{{16, 16, 16}}, {10, 900}, {8, 900}, {768, 192}}};
  return all;
}

class SpareOnAlike : public testing::TestWithParam<std::size_t> {};

TEST_P(SpareOnAlike, AMachineIsNoWorseThanAPartOfIt) {
  const Job& job = jobs()[GetParam()];
  const Crossing whole = crossing_of(job.grid, job.whole.nodes, job.whole.cores);
  const Crossing part = crossing_of(job.grid, job.part.nodes, job.part.cores);
  EXPECT_TRUE(no_worse(whole, part)) << whole.worst << ", " << whole.sum << "; " << part.worst << ", " << part.sum;
  EXPECT_TRUE(no_worse(whole, job.least)) << whole.worst << ", " << whole.sum;
}

INSTANTIATE_TEST_SUITE_P(Jobs, SpareOnAlike, testing::Range(std::size_t{0}, jobs().size()));

TEST(Spare, LimitsThatBoxesKeepAreKept) {
  EXPECT_LE(crossing_of({{6, 6}}, 6, 16, {Aim::worst, {}, {6}}).worst, 6);
  EXPECT_LE(crossing_of({{6, 6}}, 6, 16, {Aim::sum, {}, {6}}).worst, 6);
}

TEST(Spare, NumbersOfNodesBetweenTheEndsAreTried) {
  const Grid grid{{6, 6}};
  const std::vector<std::uint32_t> rooms(6, 16);
  const std::vector<Shares> ways = shares_to_try(graph_of(grid), &grid, rooms, Aim::worst);
  EXPECT_NE(std::ranges::find(ways, Shares{9, 9, 9, 9, 0, 0}), ways.end());
}

TEST(Boxes, ExchangeWhatTheirCellsDo) {
  for (const Grid& grid : {Grid{{7, 9}}, Grid{{5, 6, 4}, {true, false, true}, {3, 1, 2}},
                           Grid{{6, 5, 3}, {false, true, false}, {}, 2}, Grid{{3, 4, 2, 5}, {}, {1, 2, 3, 4}, 1}}) {
    const Graph graph = graph_of(grid);
    const std::vector<Boxes> all = best_boxes(grid, {2, 20, grid.cells()});
    ASSERT_FALSE(all.empty());
    for (const Boxes& boxes : all) EXPECT_EQ(boxes.cut, node_cut(graph, boxes.count, box_of_each(grid, boxes)));
  }
}

TEST(Boxes, HaveRoomAndAreOfEachNumber) {
  const std::vector<Boxes> all = best_boxes({{12, 12}}, {3, 8, 36});
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().count, 4U);
  EXPECT_EQ(all.front().cut, (Crossing{24, 12}));
}

}  // namespace
