// SPDX-License-Identifier: BSD-3-Clause
// Limits of the cgroup as both versions tell them, on the machine and from inside a container.
#include "cli/doctor/cgroup.hpp"

#include <gtest/gtest.h>

#include "fake_host.hpp"

namespace comity::cli {
namespace {

using comity::testing::FakeHost;

constexpr const char* kUnifiedMount = "30 1 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw";
constexpr const char* kSplitMounts =
    "31 1 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "32 1 0:28 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
    "33 1 0:29 / /sys/fs/cgroup/cpuset rw shared:11 - cgroup cgroup rw,cpuset";

class Cgroup : public ::testing::Test {
 protected:
  void mount(const std::string& mounts, const std::string& groups) const {
    fake.write("/proc/self/mountinfo", mounts);
    fake.write("/proc/self/cgroup", groups);
  }
  FakeHost fake;
};

TEST_F(Cgroup, WithoutOneNothingIsLimited) {
  const CgroupLimits limits = cgroup_limits(fake.host);
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory_bytes);
  EXPECT_EQ(limits.cpuset, "");
}

TEST_F(Cgroup, MaxIsNoLimit) {
  mount(kUnifiedMount, "0::/job");
  fake.write("/sys/fs/cgroup/job/cpu.max", "max 100000");
  fake.write("/sys/fs/cgroup/job/memory.max", "max");
  EXPECT_FALSE(cgroup_limits(fake.host).cpus);
  EXPECT_FALSE(cgroup_limits(fake.host).memory_bytes);
}

TEST_F(Cgroup, VersionTwoGivesQuotaMemoryAndCpuset) {
  mount(kUnifiedMount, "0::/job");
  fake.write("/sys/fs/cgroup/job/cpu.max", "250000 100000");
  fake.write("/sys/fs/cgroup/job/memory.max", "1073741824");
  fake.write("/sys/fs/cgroup/job/cpuset.cpus.effective", "2-5");
  const CgroupLimits limits = cgroup_limits(fake.host);
  EXPECT_DOUBLE_EQ(limits.cpus.value(), 2.5);
  EXPECT_EQ(limits.memory_bytes, std::uint64_t{1} << 30U);
  EXPECT_EQ(limits.cpuset, "2-5");
}

TEST_F(Cgroup, TheTightestOfAGroupAndItsParentsCounts) {
  mount(kUnifiedMount, "0::/user/job/step");
  fake.write("/sys/fs/cgroup/user/job/step/cpu.max", "800000 100000");
  fake.write("/sys/fs/cgroup/user/job/cpu.max", "200000 100000");
  fake.write("/sys/fs/cgroup/user/cpu.max", "400000 100000");
  fake.write("/sys/fs/cgroup/user/memory.max", "4096");
  EXPECT_DOUBLE_EQ(cgroup_limits(fake.host).cpus.value(), 2.0);
  EXPECT_EQ(cgroup_limits(fake.host).memory_bytes, 4096U);
}

TEST_F(Cgroup, InAContainerTheLimitStandsAtTheMount) {
  mount("30 1 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw", "0::/docker/abc");
  fake.write("/sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_DOUBLE_EQ(cgroup_limits(fake.host).cpus.value(), 1.0);
}

TEST_F(Cgroup, TheLimitOfAnotherGroupIsNone) {
  mount("30 1 0:26 /a /sys/fs/cgroup ro - cgroup2 cgroup rw", "0::/a-42/step_0");
  fake.write("/sys/fs/cgroup/cpu.max", "100000 100000");
  EXPECT_FALSE(cgroup_limits(fake.host).cpus);
}

TEST_F(Cgroup, VersionOneGivesThemByController) {
  mount(kSplitMounts, "5:cpu,cpuacct:/job\n4:memory:/job\n3:cpuset:/job");
  fake.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000");
  fake.write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  fake.write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "536870912");
  fake.write("/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "0-1");
  const CgroupLimits limits = cgroup_limits(fake.host);
  EXPECT_DOUBLE_EQ(limits.cpus.value(), 3.0);
  EXPECT_EQ(limits.memory_bytes, std::uint64_t{512} << 20U);
  EXPECT_EQ(limits.cpuset, "0-1");
}

TEST_F(Cgroup, VersionOneWritesNoLimitAsNumbers) {
  mount(kSplitMounts, "5:cpu,cpuacct:/\n4:memory:/");
  fake.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
  fake.write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  fake.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_FALSE(cgroup_limits(fake.host).cpus);
  EXPECT_FALSE(cgroup_limits(fake.host).memory_bytes);
}

TEST_F(Cgroup, GarbageIsNoLimit) {
  mount("30 1\n\nx - cgroup2", "::::\n0:");
  fake.write("/sys/fs/cgroup/cpu.max", "many few");
  EXPECT_FALSE(cgroup_limits(fake.host).cpus);
}

}  // namespace
}  // namespace comity::cli
