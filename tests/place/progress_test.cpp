// SPDX-License-Identifier: BSD-3-Clause
// How far the mapper is: the steps that may take long tell it in portions, and not too often.
#include "place/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oracle.hpp"
#include "place/bounds/flows.hpp"
#include "place/division/bisect.hpp"
#include "place/division/inside.hpp"
#include "place/division/uneven.hpp"
#include "place/torus.hpp"

namespace {

using namespace comity::place;

using Told = std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>, std::less<>>;

Progress into(Told& told, std::mutex& mutex) {
  return [&](std::string_view step, std::size_t number, std::size_t of) {
    const std::lock_guard lock(mutex);
    told[std::string(step)].emplace_back(number, of);
  };
}

// A bar is drawn of several portions alone. How often they are told is counted.
void expect_portions(const Told& told, std::string_view step, std::size_t least) {
  const auto at = told.find(step);
  ASSERT_NE(at, told.end()) << step;
  EXPECT_GE(at->second.size(), least) << step;
  EXPECT_LE(at->second.size(), 1000U) << step;
  for (const auto& [number, of] : at->second) {
    EXPECT_GT(of, 1U) << step;
    EXPECT_LE(number, of) << step;
  }
}

// A bar that goes back looks like a fault.
void expect_forward(const Told& told, std::string_view step, std::size_t least) {
  expect_portions(told, step, least);
  const auto at = told.find(step);
  if (at == told.end()) return;
  EXPECT_TRUE(std::ranges::is_sorted(at->second)) << step;
}

TEST(Progress, TellsLongStepsInPortions) {
  Told told;
  std::mutex mutex;
  const Progress progress = into(told, mutex);
  oracle::Dice dice(3);
  const Graph graph(60, dice.edges(60, 200));
  (void)mapped(graph, nullptr, oracle::site(6, "core:10"), {}, progress);
  expect_portions(told, "searching from many starts", 10);
  const Grid grid{{5, 16}};
  (void)mapped(graph_of(grid), &grid, oracle::site(10, "pack:2 core:4"), {}, progress);
  expect_portions(told, "listing connected pieces", 80);
  expect_portions(told, "halving connected pieces", 80);
  (void)mapped(graph, nullptr, oracle::site(7, "core:10"), {}, progress);
  expect_portions(told, "moving ranks between nodes", 100);
  std::vector<std::uint32_t> threads(60, 1);
  threads[0] = 3;
  Told uneven;
  (void)mapped_uneven(graph, oracle::site(7, "core:10"), threads, {}, {.progress = into(uneven, mutex)});
  expect_portions(uneven, "moving ranks between nodes", 100);
  const Grid closed{{16, 16}, {true, true}};
  const Network torus = torus_network({8, 8});
  const Site on_torus(in_order({{64, node_shape("core:4")}}, torus.order), 1, torus.levels, torus.order);
  (void)mapped_on_torus(graph_of(closed), &closed, on_torus, torus, {Aim::hops}, progress);
  expect_portions(told, "arranging nodes on the torus", 4);
  std::size_t proven = 0;
  (void)least_by_flows(graph, 10, [&](std::size_t number, std::size_t of) {
    EXPECT_LT(number, of);
    ++proven;
  });
  EXPECT_GE(proven, 100U);
}

// On fewer ranks than places several shares are mapped in turn, each by the same steps.
TEST(Progress, OfEqualThreadsNeverGoesBack) {
  oracle::Dice dice(4);
  const Graph graph(120, dice.edges_of_near_ones(120));
  std::mutex mutex;
  for (const std::string cores : {"5", "6"}) {
    Told told;
    (void)mapped(graph, nullptr, oracle::site(12, "pack:2 core:" + cores), {}, into(told, mutex));
    expect_forward(told, "halving the graph", 10);
    expect_forward(told, "swapping ranks between nodes", 50);
    expect_forward(told, "placing ranks inside the nodes", 2);
  }
}

TEST(Progress, OfHalvingAndOfWhatIsInsideNodesIsToldPieceByPiece) {
  oracle::Dice dice(4);
  const Graph graph(120, dice.edges_of_near_ones(120));
  Told told;
  const auto portions = [&](const std::string& step) {
    return [&told, step](std::size_t number, std::size_t of) { told[step].emplace_back(number, of); };
  };
  const std::vector<Domain> part = bisected(graph, std::vector<std::size_t>(12, 10), 1, {}, portions("halving"));
  expect_forward(told, "halving", 10);
  (void)settled(graph, oracle::site(12, "pack:2 core:5"), part, kUsualEffort, nullptr, portions("inside"));
  expect_forward(told, "inside", 12);
}

// Each of several searches of unequal threads has one bar for all that it packs.
TEST(Progress, OfUnequalThreadsNeverGoesBack) {
  constexpr std::size_t kNodes = 64;
  Told told;
  std::mutex mutex;
  const Grid grid{{15, 16}};
  std::vector<std::uint32_t> threads(grid.cells(), 1);
  threads[7] = 3;
  const Network torus = torus_network({8, 8});
  const Site on_torus(in_order({{kNodes, node_shape("pack:2 core:2")}}, torus.order), 1, torus.levels, torus.order);
  (void)mapped_uneven(graph_of(grid), on_torus, threads, {},
                      {.grid = &grid, .torus = &torus, .progress = into(told, mutex)});
  expect_forward(told, "packing ranks", 4);
  expect_forward(told, "packing ranks inside the nodes", kNodes);
  expect_forward(told, "packing from the network down", 20);
  expect_forward(told, "arranging nodes on the torus", 4);
  expect_forward(told, "arranging nodes in the network", 1);
}

// A portion for each that is asked, of all times that they are.
TEST(Progress, TellsHowManyOthersHaveAnswered) {
  constexpr std::size_t kOthers = 3;
  const Partition ask = [](const Graph&, const std::vector<std::size_t>&, const std::vector<std::uint32_t>&,
                           const Portions& portions) {
    for (std::size_t i = 0; i < kOthers; ++i) portions(i, kOthers);
    return std::vector<Foreign>{};
  };
  oracle::Dice dice(5);
  const Graph graph(60, dice.edges(60, 200));
  std::vector<std::uint32_t> threads(60, 1);
  Told equal, uneven;
  std::mutex mutex;
  (void)mapped(graph, nullptr, oracle::site(6, "core:10"), {}, into(equal, mutex), ask);
  expect_forward(equal, "asking other partitioners", kOthers);
  threads[0] = 3;
  (void)mapped_uneven(graph, oracle::site(9, "core:10"), threads, {}, {.progress = into(uneven, mutex), .ask = ask});
  expect_forward(uneven, "asking other partitioners", 2 * kOthers);
}

TEST(Progress, IsToldInHundredthsOfAllThatAStepMayTake) {
  std::vector<std::size_t> told;
  const Progress progress = [&](std::string_view, std::size_t number, std::size_t of) {
    EXPECT_EQ(of, kHundred);
    told.push_back(number);
  };
  Hundredths bar(progress, "a step", 4);
  bar.within(2)(1, 4);
  bar.add(1);
  bar.within(1)(0, 7);  // what is told is known
  bar.reach(3);
  bar.reach(2);
  EXPECT_EQ(told, (std::vector<std::size_t>{12, 25, 75}));
  Hundredths many(progress, "another", 1'000'000);
  for (int i = 0; i < 1'000'000; ++i) many.add(1);
  EXPECT_EQ(told.size(), 3 + 101U);
}

// Each thread is kept between what it did and what it tells, so that others come in between.
TEST(Progress, OfSeveralThreadsNeverGoesBack) {
  constexpr std::size_t kThreads = 4, kPortions = 200;
  std::vector<std::size_t> told;
  std::mutex mutex;
  const Progress slowly = [&](std::string_view, std::size_t number, std::size_t of) {
    EXPECT_EQ(of, kThreads * kPortions);
    std::this_thread::yield();
    const std::lock_guard lock(mutex);
    told.push_back(number);
  };
  PartsDone done(slowly, "a step", kThreads);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::size_t portion = 0; portion < kPortions; ++portion) done.add(1, kPortions);
    });
  }
  threads.clear();
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.back(), kThreads * kPortions);
}

}  // namespace
