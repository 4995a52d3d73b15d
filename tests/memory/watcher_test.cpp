// SPDX-License-Identifier: BSD-3-Clause
// When mappings are read again, and where memory lies.
#include "memory/watcher.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "memory/nearness.hpp"

namespace comity::memory {
namespace {

TEST(Watcher, MappingsAreReadForAHundredthOfTheTime) {
  constexpr std::int64_t kMs = 1000000;
  EXPECT_FALSE(is_time_again(1000 * kMs, 0, 11 * kMs));
  EXPECT_TRUE(is_time_again(1000 * kMs, 0, 10 * kMs));
  EXPECT_TRUE(is_time_again(0, 0, 0)) << "what costs nothing is always due";
}

TEST(Watcher, TotalsAloneReadNoMappings) {
  const Components components;
  Watcher watcher(::getpid(), components, Depth::totals, NodePages::left_out);
  watcher.look();
  EXPECT_FALSE(watcher.seen().told);
  EXPECT_FALSE(watcher.seen().ended);
  EXPECT_GE(watcher.seen().peak_bytes, watcher.seen().totals.resident);
  EXPECT_GT(watcher.seen().totals.resident, 0U);
}

TEST(Watcher, MappingsAreReadAndWhatThatCostIsKnown) {
  const Components components;
  Watcher watcher(::getpid(), components, Depth::mappings, NodePages::left_out);
  watcher.look();
  ASSERT_TRUE(watcher.seen().told);
  EXPECT_GT(watcher.seen().cost_ns, 0);
  EXPECT_TRUE(watcher.seen().told->of(Component::application).nodes.empty());
}

TEST(Nearness, NodesWithOurCpusAreNearAndOthersAreFar) {
  const NodeCpus nodes{{0, {0, 1, 2, 3}}, {1, {4, 5, 6, 7}}, {2, {}}};
  const os::NodeBytes memory{{0, 100}, {1, 700}, {2, 5000}, {9, 3}};
  const Nearness first = nearness(memory, {2, 3}, nodes);
  EXPECT_EQ(first.near_bytes, 100U);
  EXPECT_EQ(first.far_bytes, 700U) << "nodes without CPUs and those that nobody knows are neither";
  EXPECT_TRUE(first.is_mostly_far());
  EXPECT_FALSE(nearness(memory, {3, 4}, nodes).is_mostly_far());
  EXPECT_FALSE(nearness({}, {3}, nodes).is_mostly_far());
}

TEST(Nearness, AThreadIsNearEachNodeOnWhichItMayRun) {
  const NodeCpus nodes{{0, {0, 1}}, {1, {4, 5}}, {2, {}}};
  const std::vector<CpuSet> threads{{0}, {1, 4}, {5}, {9}};
  const std::vector<NodeThreads> expected{{0, {0, 1}, 2}, {1, {4, 5}, 2}, {2, {}, 0}};
  EXPECT_EQ(threads_by_node(threads, nodes), expected);
  EXPECT_TRUE(threads_by_node(threads, {}).empty());
}

TEST(Nearness, TheNodesOfAMachineAreRead) {
  std::string folder = testing::TempDir() + "nodes-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  for (const char* node : {"/node0", "/node2"}) std::filesystem::create_directory(folder + node);
  std::ofstream(folder + "/online") << "0,2\n";
  std::ofstream(folder + "/node0/cpulist") << "0-3,8\n";
  std::ofstream(folder + "/node2/cpulist") << "\n";
  const NodeCpus nodes = node_cpus(folder);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes.at(0), (CpuSet{0, 1, 2, 3, 8}));
  EXPECT_TRUE(nodes.at(2).empty());
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(node_cpus(folder).empty());
}

}  // namespace
}  // namespace comity::memory
