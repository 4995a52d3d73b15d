// SPDX-License-Identifier: BSD-3-Clause
// What the last free leaves: nothing of the node, so that the next create is like the first. Machine, devices and segment
// are looked for anew, and descriptors, mappings and memory do not grow with the rounds.
#include "runtime/process.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>

#include "context/rank_on_cgroup.hpp"
#include "faults/survivor.hpp"
#include "machine/draft.hpp"
#include "machine/loader.hpp"
#include "machine/machine.hpp"
#include "machine/restrict.hpp"
#include "runtime/context_fixture.hpp"
#include "runtime/lone_bootstrap.hpp"

namespace comity::testing {
namespace {

namespace fs = std::filesystem;
using machine::DeviceKind;
using runtime::Process;

// Where the allocator keeps no chunks a thread, which it counts as in use: as ctest has it run here.
bool heap_is_counted() {
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  return tunables != nullptr && std::string(tunables).find("tcache_count=0") != std::string::npos;
}

// What a round could leave behind.
struct Held {
  std::size_t descriptors = open_descriptors();
  std::size_t segments = 0;  // mappings of one
  std::size_t mappings = 0;
  std::size_t heap_bytes = ::mallinfo2().uordblks;  // 0 under sanitizers, which tell of leaks

  Held() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line); ++mappings) {
      std::string range, permissions;
      std::istringstream(line) >> range >> permissions;
      const bool made_for_the_test = line.find("/dev/zero") != std::string::npos;
      if (permissions.ends_with('s') && !made_for_the_test) ++segments;
    }
  }
};

void ask_for_everything(ForkBootstrap& job) {
  const WiredContext first(job);
  const WiredContext second(job);
  (void)Process::instance().machine_with_devices(*first).count(DeviceKind::nic);
  second->push(context::ObjectType::machine, 0);
  const std::uintptr_t group = Process::instance().split(first.handle(), 0);
  second->quiesce(std::nullopt);
  second->pop();
  (void)Process::instance().groups().take(group);
  meet(job);  // else who is late would find that the other has left
}

constexpr int kRounds = 20;
constexpr std::size_t kSmallestChunk = 32;  // [bytes] of the allocator: what a round that leaks keeps at least

struct Round {
  const char* machine;  // "" for this one
  const char* handover;

  friend void PrintTo(const Round& round, std::ostream* out) { *out << round.machine << ' ' << round.handover; }
};

class Rounds : public ::testing::TestWithParam<Round> {
 protected:
  Rounds() { setenv("COMITY_NODE_DIRECTORY", folder_.path().c_str(), 1); }
  ~Rounds() override { unsetenv("COMITY_NODE_DIRECTORY"); }

  static void choose_machine() {
    const std::string machine = GetParam().machine;
    machine.empty() ? unsetenv("HWLOC_SYNTHETIC") : setenv("HWLOC_SYNTHETIC", machine.c_str(), 1);
    setenv("COMITY_NODE_HANDOVER", GetParam().handover, 1);
    setenv("HWLOC_COMPONENTS", "-pci", 1);  // of what its library allocates to read the bus some stays (pciaccess 0.17)
  }

 private:
  const HandOverFolder folder_;
};

TEST_P(Rounds, OfTheFirstCreateAndTheLastFreeLeaveNothing) {
  choose_machine();
  const auto ends = run_ranks(2, [](ForkBootstrap& job) {
    for (int round = 0; round < 5; ++round) ask_for_everything(job);
    const Held before;
    EXPECT_EQ(before.segments, 0U);
    for (int round = 0; round < kRounds; ++round) ask_for_everything(job);
    const Held after;
    EXPECT_EQ(after.descriptors, before.descriptors);
    EXPECT_EQ(after.segments, 0U);
    if (!is_sanitized()) {
      EXPECT_LE(after.mappings, before.mappings + 2) << "the allocator may take one more";
    }
    if (heap_is_counted()) {
      EXPECT_LT(after.heap_bytes, before.heap_bytes + kRounds * kSmallestChunk);
    }
    expect_no_leak();
  });
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Machines, Rounds,
                         ::testing::Values(Round{"", "proc"}, Round{"core:4 pu:2", "proc"},
                                           Round{"core:4 pu:2", "socket"}, Round{"core:4 pu:2", "file"}),
                         [](const auto& round) {
                           return (*round.param.machine == 0 ? "this_one_" : "simulated_") +
                                  std::string(round.param.handover);
                         });

TEST(LastFree, ForgetsTheMachine) {
  runtime::LoneBootstrap alone;
  for (const int cores : {4, 2, 6}) {
    setenv("HWLOC_SYNTHETIC", ("core:" + std::to_string(cores) + " pu:1").c_str(), 1);
    const WiredContext context(alone);
    EXPECT_EQ(context->machine().count(context::ObjectType::core), cores);
    EXPECT_EQ(context->binding(), CpuSet::first(static_cast<std::size_t>(cores)));
  }
  unsetenv("HWLOC_SYNTHETIC");
}

TEST(LastFree, EndsTheSegment) {
  runtime::LoneBootstrap alone;
  setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
  std::set<std::uint64_t> ids;
  std::weak_ptr<node::Node> former;
  for (int round = 0; round < 3; ++round) {
    const WiredContext context(alone);
    EXPECT_TRUE(former.expired());
    EXPECT_TRUE(ids.insert(context.node().id()).second) << "a segment from before";
    EXPECT_TRUE(context.node().first_to_tell(7));
    const WiredContext another(alone);
    EXPECT_EQ(another.node().id(), context.node().id()) << "until then it is shared";
    former = context->node();
  }
  EXPECT_TRUE(former.expired());
  unsetenv("HWLOC_SYNTHETIC");
}

// It is no context: the machine is looked for anew, and the segment goes with it.
TEST(LastFree, LeavesAGroupItsSegmentUntilThatIsFreed) {
  runtime::LoneBootstrap alone;
  setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
  std::uintptr_t group = 0;
  std::weak_ptr<node::Node> of_group;
  {
    const WiredContext context(alone);
    group = Process::instance().split(context.handle(), 0);
    of_group = context->node();
  }
  EXPECT_FALSE(of_group.expired());
  setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
  {
    const WiredContext context(alone);
    EXPECT_EQ(context->machine().count(context::ObjectType::core), 2);
    EXPECT_NE(context->node(), of_group.lock());
  }
  (void)Process::instance().groups().take(group);
  EXPECT_TRUE(of_group.expired());
  unsetenv("HWLOC_SYNTHETIC");
}

// A root folder with one network device, which hwloc takes for this machine's.
class MadeUpRoot {
 public:
  MadeUpRoot() {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
    setenv("HWLOC_FSROOT", path_.c_str(), 1);
  }
  ~MadeUpRoot() {
    unsetenv("HWLOC_FSROOT");
    fs::remove_all(path_);
  }
  MadeUpRoot(const MadeUpRoot&) = delete;
  MadeUpRoot& operator=(const MadeUpRoot&) = delete;

  void hold_only(const std::string& name) const {
    const fs::path system = fs::path(path_) / "sys";
    fs::remove_all(system);
    fs::create_directories(system / "devices/board/net" / name);
    fs::create_directories(system / "class/net");
    fs::create_directory_symlink("../../devices/board/net/" + name, system / "class/net" / name);
    fs::create_directory_symlink("../..", system / "devices/board/net" / name / "device");
  }

 private:
  std::string path_ = "/tmp/comity-root-XXXXXX";
};

TEST(LastFree, ForgetsTheDevices) {
  const MadeUpRoot root;
  runtime::LoneBootstrap alone;
  const auto nic_of = [](const WiredContext& context) {
    const machine::Machine& machine = Process::instance().machine_with_devices(*context);
    return std::string(machine.count(DeviceKind::nic) == 1 ? machine.device(DeviceKind::nic, 0).name.data() : "none");
  };
  for (const std::string name : {"first0", "second0"}) {
    root.hold_only(name);
    const WiredContext context(alone);
    EXPECT_EQ(nic_of(context), name);
    root.hold_only("late0");
    const WiredContext another(alone);
    EXPECT_EQ(nic_of(another), name) << "until then they are looked for once";
  }
}

// The machine of the file as a node shares that at hand: without devices, for which the first who asks looks.
machine::Image without_devices(const std::string& file) {
  const machine::Image image = machine::load_xml(file);
  machine::Draft draft = machine::draft_of(machine::Machine(image));
  draft.devices.clear();
  draft.devices_known = false;
  return machine::pack(draft);
}

TEST(Devices, FollowTheMemoryNodesOfAContextWhosePusStay) {
  const std::string file = COMITY_TEST_DATA "/machines/gpu-node.xml";
  FakeCgroup cgroup;
  cgroup.move_to(FakeCgroup::kVersionTwo, "0::/job");
  cgroup.write("/sys/fs/cgroup/job/cpuset.cpus.effective", "0-31");
  const auto allow_memory = [&](const char* nodes) { cgroup.write("/sys/fs/cgroup/job/cpuset.mems.effective", nodes); };
  allow_memory("0-1");
  unsetenv("HWLOC_SYNTHETIC");  // of a test before
  setenv("HWLOC_XMLFILE", file.c_str(), 1);
  const auto ends = run_ranks(1, [&](ForkBootstrap& job) {
    RankOnCgroup rank(job, cgroup, [&] { return without_devices(file); });
    EXPECT_FALSE(rank.context().machine().devices_known());
    const auto node_beside = [&](int gpu) {
      return Process::instance().machine_with_devices(rank.context()).device(DeviceKind::gpu, gpu).numa;
    };
    for (const char* now : {"0-1", "1", "0", "0-1"}) {
      allow_memory(now);
      rank.context().refresh();
      const bool has_first = *now == '0';
      EXPECT_EQ(node_beside(0), has_first ? 0 : -1) << now;
      EXPECT_EQ(node_beside(3), std::string(now) == "0-1" ? 1 : has_first ? -1 : 0) << now;
    }
  });
  EXPECT_TRUE(all_good(ends));
  unsetenv("HWLOC_XMLFILE");
}

}  // namespace
}  // namespace comity::testing
