// SPDX-License-Identifier: BSD-3-Clause
// The NUMA nodes of CPUs, which stand near one another and how fast they are, from folders that look like the kernel's.
#include "os/cpus/cpu_nodes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "os/cpus/cpu_order.hpp"
#include "os/cpus/cpu_speeds.hpp"

namespace comity::os {
namespace {

class CpuNodes : public ::testing::Test {
 protected:
  CpuNodes() { std::filesystem::create_directories(folder_ + "/node0"); }
  ~CpuNodes() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ + '/' + file) << text; }

  const std::string folder_ = ::testing::TempDir() + "comity-cpu-nodes-" + std::to_string(::getpid());
};

TEST_F(CpuNodes, AreReadFromTheListOfEachNode) {
  std::filesystem::create_directories(folder_ + "/node2");
  write("online", "0,2\n");
  write("node0/cpulist", "0-1,4\n");
  write("node2/cpulist", "2-3\n");
  EXPECT_EQ(nodes_of_cpus(folder_), (std::vector<int>{0, 0, 2, 2, 0}));
}

TEST_F(CpuNodes, AreNoneWhereTheKernelTellsNothing) {
  EXPECT_TRUE(nodes_of_cpus(folder_).empty());
  write("online", "many\n");
  EXPECT_TRUE(nodes_of_cpus(folder_).empty());
  write("online", "0\n");
  write("node0/cpulist", "\n");  // a node of memory alone
  EXPECT_TRUE(nodes_of_cpus(folder_).empty());
}

class CpuSpeeds : public CpuNodes {
 protected:
  void write_for(int cpu, const std::string& file, const std::string& text) const {
    const std::string folder = "cpu" + std::to_string(cpu);
    std::filesystem::create_directories(folder_ + '/' + folder + "/cpufreq");
    write(folder + '/' + file, text);
  }
};

TEST_F(CpuSpeeds, AreTheirCapacitiesWhereTheKernelHasThose) {
  for (const int cpu : {0, 1, 3}) write_for(cpu, "cpufreq/cpuinfo_max_freq", "2000000\n");
  write_for(0, "cpu_capacity", "1024\n");
  write_for(3, "cpu_capacity", "446\n");
  EXPECT_EQ(speeds_of_cpus(CpuSet{0, 3}, folder_), (std::vector<int>{1024, 0, 0, 446}));
}

TEST_F(CpuSpeeds, AreTheirHighestClocksElsewhere) {
  write_for(0, "cpufreq/cpuinfo_max_freq", "5100000\n");
  write_for(1, "cpufreq/cpuinfo_max_freq", "3900000\n");
  EXPECT_EQ(speeds_of_cpus(CpuSet{0, 1}, folder_), (std::vector<int>{5'100'000, 3'900'000}));
}

TEST_F(CpuSpeeds, AreNoneWhereOneIsNotTold) {
  EXPECT_TRUE(speeds_of_cpus(CpuSet{0, 1}, folder_).empty());
  write_for(0, "cpu_capacity", "1024\n");
  write_for(1, "cpu_capacity", "fast\n");
  EXPECT_TRUE(speeds_of_cpus(CpuSet{0, 1}, folder_).empty());
}

class CpuOrder : public CpuNodes {
 protected:
  void put(int cpu, const std::string& package, const std::string& core) const {
    const std::string topology = "cpu" + std::to_string(cpu) + "/topology";
    std::filesystem::create_directories(folder_ + '/' + topology);
    write(topology + "/physical_package_id", package);
    write(topology + "/core_id", core);
  }
};

TEST_F(CpuOrder, IsByPackageAndCore) {
  for (int cpu = 0; cpu < 8; ++cpu) put(cpu, std::to_string(cpu % 2) + '\n', std::to_string(10 - cpu % 4) + '\n');
  EXPECT_EQ(in_order_of_cores(CpuSet::parse_list("0-7"), folder_), (std::vector<std::size_t>{2, 6, 0, 4, 3, 7, 1, 5}));
  EXPECT_EQ(in_order_of_cores(CpuSet::parse_list("1-2,4"), folder_), (std::vector<std::size_t>{2, 4, 1}));
}

TEST_F(CpuOrder, IsByNumberWhereTheKernelTellsNothing) {
  EXPECT_EQ(in_order_of_cores(CpuSet{3, 0, 9}, folder_), (std::vector<std::size_t>{0, 3, 9}));
  put(3, "-1\n", "many\n");
  put(9, "-1\n", "0\n");
  EXPECT_EQ(in_order_of_cores(CpuSet{3, 9}, folder_), (std::vector<std::size_t>{3, 9}));
}

TEST_F(CpuOrder, HasAllCpusOfThisMachine) { EXPECT_EQ(in_order_of_cores(CpuSet{0, 1, 2, 3}).size(), 4U); }

}  // namespace
}  // namespace comity::os
