// SPDX-License-Identifier: BSD-3-Clause
// The NUMA nodes of CPUs, from folders that look like the kernel's.
#include "os/cpus/cpu_nodes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace comity::os
