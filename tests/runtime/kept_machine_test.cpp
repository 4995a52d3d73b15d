// SPDX-License-Identifier: BSD-3-Clause
// What is kept is told by a mark: an image that hwloc would not make.
#include "runtime/kept_machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "machine/machine.hpp"
#include "machine/restrict.hpp"
#include "record/temporary_folder.hpp"

namespace comity::runtime {
namespace {

const machine::Image kMark(3, std::byte{7});

class KeptMachines : public ::testing::Test {
 protected:
  KeptMachines() {
    std::filesystem::create_directories(root_ / "sys/devices/system/cpu");
    say_online("0-3");
  }
  void say_online(const char* cpus) const { std::ofstream(root_ / "sys/devices/system/cpu/online") << cpus << "\n"; }

  testing::TemporaryFolder root_;
  KeptMachine kept_{root_ / ""};
};

TEST_F(KeptMachines, TellWhatTheyToldBefore) {
  const machine::Image told = kept_.load();
  EXPECT_GT(machine::Machine(machine::unpack(told).complete).count(machine::ObjectType::pu), 0);
  kept_.keep(kMark);
  EXPECT_EQ(kept_.load(), kMark);
  EXPECT_EQ(kept_.load(), told) << "it went into a segment, and is kept again at its end";
}

TEST_F(KeptMachines, KeepNothingThatAnotherProcessHasRead) {
  kept_.keep(kMark);
  EXPECT_NE(kept_.load(), kMark);
}

TEST_F(KeptMachines, ReadAnewWhereACpuHasGone) {
  (void)kept_.load();
  kept_.keep(kMark);
  say_online("0-2");
  EXPECT_NE(kept_.load(), kMark);
}

TEST_F(KeptMachines, ReadAnewWhatTheEnvironmentNames) {
  const machine::Image told = kept_.load();
  kept_.keep(kMark);
  setenv("HWLOC_SYNTHETIC", "core:3 pu:1", 1);
  EXPECT_EQ(machine::Machine(machine::unpack(kept_.load()).complete).count(machine::ObjectType::core), 3);
  kept_.keep(kMark);
  unsetenv("HWLOC_SYNTHETIC");
  EXPECT_EQ(kept_.load(), told);
}

}  // namespace
}  // namespace comity::runtime
