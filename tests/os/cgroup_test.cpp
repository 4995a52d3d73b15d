// SPDX-License-Identifier: BSD-3-Clause
// The cpuset of this process's cgroup, on a machine that is a folder of files.
#include "os/cgroup.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace comity::os {
namespace {

constexpr const char* kVersionOne = "33 1 0:29 / /sys/fs/cgroup/cpuset rw shared:11 - cgroup cgroup rw,cpuset";
constexpr const char* kVersionTwo = "30 1 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw";

class Cpuset : public ::testing::Test {
 protected:
  Cpuset() {
    std::string name = ::testing::TempDir() + "comity-cgroup-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~Cpuset() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  // In place, as the kernel does it: who has the file open sees it.
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  void move_to(const std::string& mount, const std::string& group) const {
    write("/proc/self/mountinfo", mount);
    write("/proc/self/cgroup", group);
  }
  static std::string text_of(const std::optional<CpuSet>& set) { return set ? set->to_list() : "none"; }

  std::string root_;
};

TEST_F(Cpuset, WithoutACgroupNothingIsTold) {
  CpusetWatch watch(root_);
  EXPECT_EQ(text_of(watch.look()), "none");
  EXPECT_EQ(text_of(watch.look_anew()), "none");
}

TEST_F(Cpuset, AChangeOfTheSameGroupIsSeenAtOnce) {
  move_to(kVersionOne, "3:cpuset:/job");
  write("/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "0-7");
  CpusetWatch watch(root_);
  EXPECT_EQ(text_of(watch.look()), "0-7");
  write("/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "4,6-7");
  EXPECT_EQ(text_of(watch.look()), "4,6-7");
  write("/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "0-63");
  EXPECT_EQ(text_of(watch.look()), "0-63");
}

TEST_F(Cpuset, AMoveIntoAnotherGroupIsSeenWhenLookedForAnew) {
  move_to(kVersionTwo, "0::/one");
  write("/sys/fs/cgroup/one/cpuset.cpus.effective", "0-3");
  write("/sys/fs/cgroup/two/cpuset.cpus.effective", "2");
  CpusetWatch watch(root_);
  EXPECT_EQ(text_of(watch.look()), "0-3");
  move_to(kVersionTwo, "0::/two");
  EXPECT_EQ(text_of(watch.look()), "0-3");
  EXPECT_EQ(text_of(watch.look_anew()), "2");
  EXPECT_EQ(text_of(watch.look()), "2");
}

TEST_F(Cpuset, AGroupWithoutTheControllerHasThatOfTheOneAbove) {
  move_to(kVersionTwo, "0::/user/job");
  write("/sys/fs/cgroup/user/cpuset.cpus.effective", "8-15");
  EXPECT_EQ(text_of(CpusetWatch(root_).look()), "8-15");
}

TEST_F(Cpuset, AnEmptyOrBrokenListTellsNothing) {
  move_to(kVersionOne, "3:cpuset:/");
  write("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "");
  write("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-1");
  CpusetWatch watch(root_);
  EXPECT_EQ(text_of(watch.look()), "0-1");
  write("/sys/fs/cgroup/cpuset/cpuset.cpus", "zero");
  EXPECT_EQ(text_of(watch.look()), "none");
}

}  // namespace
}  // namespace comity::os
