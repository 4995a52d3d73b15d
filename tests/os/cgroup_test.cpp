// SPDX-License-Identifier: BSD-3-Clause
// The cpuset of this process's cgroup, on a machine that is a folder of files.
#include "os/cpus/cgroup.hpp"

#include <gtest/gtest.h>

#include "os/fake_cgroup.hpp"

namespace comity::os {
namespace {

using testing::FakeCgroup;

class Cpuset : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const { machine_.write(path, text); }
  void move_to(const std::string& mount, const std::string& group) const { machine_.move_to(mount, group); }
  [[nodiscard]] const std::string& root() const { return machine_.root(); }
  static std::string text_of(const std::optional<CpuSet>& set) { return set ? set->to_list() : "none"; }

  FakeCgroup machine_;
};

TEST_F(Cpuset, WithoutACgroupNothingIsTold) {
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look()), "none");
  EXPECT_EQ(text_of(watch.look_anew()), "none");
}

TEST_F(Cpuset, AChangeOfTheSameGroupIsSeenAtOnce) {
  move_to(FakeCgroup::kVersionOne, "3:cpuset:/job");
  write("/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "0-7");
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look()), "0-7");
  write("/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "4,6-7");
  EXPECT_EQ(text_of(watch.look()), "4,6-7");
  write("/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "0-63");
  EXPECT_EQ(text_of(watch.look()), "0-63");
}

TEST_F(Cpuset, MemoryNodesAreToldByTheListBesideThatOfTheCpus) {
  const struct {
    const char* mount;
    const char* group;
    const char* cpus;
    const char* nodes;
  } versions[] = {{FakeCgroup::kVersionTwo, "0::/job", "/sys/fs/cgroup/job/cpuset.cpus.effective",
                   "/sys/fs/cgroup/job/cpuset.mems.effective"},
                  {FakeCgroup::kVersionOne, "3:cpuset:/job", "/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus",
                   "/sys/fs/cgroup/cpuset/job/cpuset.effective_mems"}};
  for (const auto& version : versions) {
    move_to(version.mount, version.group);
    write(version.cpus, "0-7");
    CpusetWatch without(root());
    EXPECT_EQ(text_of(without.look_at_nodes()), "none");
    write(version.nodes, "0-3");
    EXPECT_EQ(text_of(without.look_at_nodes()), "none") << "it keeps to the files that it found";
    CpusetWatch watch(root());
    EXPECT_EQ(text_of(watch.look_at_nodes()), "0-3");
    write(version.nodes, "2");
    EXPECT_EQ(text_of(watch.look_at_nodes()), "2");
    EXPECT_EQ(text_of(watch.look()), "0-7");
    write(version.nodes, "");
    EXPECT_EQ(text_of(watch.look_at_nodes()), "none");
  }
}

TEST_F(Cpuset, MemoryNodesAreThoseOfTheGroupThatWasFoundAnew) {
  move_to(FakeCgroup::kVersionTwo, "0::/one");
  for (const char* group : {"one", "two"}) {
    write(std::string("/sys/fs/cgroup/") + group + "/cpuset.cpus.effective", "0-3");
    write(std::string("/sys/fs/cgroup/") + group + "/cpuset.mems.effective", group == std::string("one") ? "0" : "1");
  }
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look_at_nodes()), "0");
  move_to(FakeCgroup::kVersionTwo, "0::/two");
  EXPECT_EQ(text_of(watch.look_at_nodes()), "0");
  (void)watch.look_anew();
  EXPECT_EQ(text_of(watch.look_at_nodes()), "1");
}

TEST_F(Cpuset, AMoveIntoAnotherGroupIsSeenWhenLookedForAnew) {
  move_to(FakeCgroup::kVersionTwo, "0::/one");
  write("/sys/fs/cgroup/one/cpuset.cpus.effective", "0-3");
  write("/sys/fs/cgroup/two/cpuset.cpus.effective", "2");
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look()), "0-3");
  move_to(FakeCgroup::kVersionTwo, "0::/two");
  EXPECT_EQ(text_of(watch.look()), "0-3");
  EXPECT_EQ(text_of(watch.look_anew()), "2");
  EXPECT_EQ(text_of(watch.look()), "2");
}

TEST_F(Cpuset, TheSameGroupIsLookedAtAnewWithoutTheMountTable) {
  move_to(FakeCgroup::kVersionTwo, "0::/one");
  write("/sys/fs/cgroup/one/cpuset.cpus.effective", "0-3");
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look()), "0-3");
  write("/proc/self/mountinfo", "");
  write("/sys/fs/cgroup/one/cpuset.cpus.effective", "1");
  EXPECT_EQ(text_of(watch.look_anew()), "1");
}

TEST_F(Cpuset, AGroupThatGetsAFileOfItsOwnIsSeenWhenLookedForAnew) {
  move_to(FakeCgroup::kVersionTwo, "0::/one");
  write("/sys/fs/cgroup/cpuset.cpus.effective", "0-7");
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look_anew()), "0-7") << "of the group above";
  write("/sys/fs/cgroup/one/cpuset.cpus.effective", "2");
  EXPECT_EQ(text_of(watch.look_anew()), "2");
}

TEST_F(Cpuset, AGroupWithoutTheControllerHasThatOfTheOneAbove) {
  move_to(FakeCgroup::kVersionTwo, "0::/user/job");
  write("/sys/fs/cgroup/user/cpuset.cpus.effective", "8-15");
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), "8-15");
}

// In a container the mount shows a group of the host, and the process stands in it or below.
TEST_F(Cpuset, AGroupIsLookedForBelowTheOneAtTheMount) {
  write("/mnt/cpuset.cpus.effective", "0-7");
  write("/mnt/step/cpuset.cpus.effective", "1");
  move_to("30 1 0:26 /a /mnt ro - cgroup2 cgroup rw", "0::/a/step");
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), "1");
  move_to("30 1 0:26 /a /mnt ro - cgroup2 cgroup rw", "0::/a");
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), "0-7");
}

// A bug once: the name of one may begin with that of the other.
TEST_F(Cpuset, AGroupBesideTheOneAtTheMountIsNotSeen) {
  write("/mnt/cpuset.cpus.effective", "0-7");
  write("/mnt/a/cpuset.cpus.effective", "0-7");
  for (const char* group : {"/a-42/step_0", "/a2", "/b", "/", "/../a/step", "a", ""}) {
    SCOPED_TRACE(group);
    move_to("30 1 0:26 /a /mnt ro - cgroup2 cgroup rw", std::string("0::") + group);
    EXPECT_EQ(cgroup_folders([&](const std::string& path) { return machine_.read(path); }, ""),
              std::vector<std::string>());
    EXPECT_EQ(text_of(CpusetWatch(root()).look()), "none");
  }
}

TEST_F(Cpuset, TheMountCountsThatTheGroupIsSeenThrough) {
  write("/one/cpuset.cpus.effective", "0-3");
  write("/two/cpuset.cpus.effective", "4-5");
  move_to("30 1 0:26 /job /one ro - cgroup2 cgroup rw\n31 1 0:26 /job2 /two ro - cgroup2 cgroup rw", "0::/job2");
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), "4-5");
}

TEST_F(Cpuset, AMountFromAboveTheNamespaceLimitsToo) {
  write("/mnt/cpuset.cpus.effective", "0-3");
  write("/mnt/beside/cpuset.cpus.effective", "2");
  move_to("30 1 0:26 /.. /mnt ro - cgroup2 cgroup rw", "0::/");
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), "0-3");
  move_to("30 1 0:26 /.. /mnt ro - cgroup2 cgroup rw", "0::/../beside");
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), "2");
  move_to("30 1 0:26 / /mnt ro - cgroup2 cgroup rw", "0::/../beside");
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), "none");
}

// A list longer than the text of one read.
TEST_F(Cpuset, ALongListIsReadWhole) {
  CpuSet odd;
  for (std::size_t cpu = 1; cpu < 400; cpu += 2) odd.insert(cpu);
  ASSERT_GT(odd.to_list().size(), 512U);
  move_to(FakeCgroup::kVersionTwo, "0::/job");
  write("/sys/fs/cgroup/job/cpuset.cpus.effective", "0-7");
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look()), "0-7");
  write("/sys/fs/cgroup/job/cpuset.cpus.effective", odd.to_list());
  EXPECT_EQ(text_of(watch.look()), odd.to_list());
  EXPECT_EQ(text_of(CpusetWatch(root()).look()), odd.to_list());
  write("/sys/fs/cgroup/job/cpuset.cpus.effective", "0-7");
  EXPECT_EQ(text_of(watch.look()), "0-7");
}

TEST_F(Cpuset, AnEmptyOrBrokenListTellsNothing) {
  move_to(FakeCgroup::kVersionOne, "3:cpuset:/");
  write("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "");
  write("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-1");
  CpusetWatch watch(root());
  EXPECT_EQ(text_of(watch.look()), "0-1");
  write("/sys/fs/cgroup/cpuset/cpuset.cpus", "zero");
  EXPECT_EQ(text_of(watch.look()), "none");
}

}  // namespace
}  // namespace comity::os
