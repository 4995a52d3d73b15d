// SPDX-License-Identifier: BSD-3-Clause
// Smaller machines made of larger ones, against the described machines and against hwloc's own restriction.
#include "machine/restrict.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "machine/loader.hpp"
#include "record/temporary_folder.hpp"

namespace comity::machine {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(COMITY_TEST_DATA) / "machines";

std::string described(const std::string& name) { return kFolder / (name + ".xml"); }

Image restricted_image(const Image& image, const CpuSet& pus) {
  return assemble(restricted(draft_of(Machine(image)), pus));
}

TEST(Restrict, TheDraftOfAnImageMakesTheSameImage) {
  int machines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".xml") continue;
    const Image image = load_xml(entry.path());
    EXPECT_EQ(assemble(draft_of(Machine(image))), image) << entry.path();
    ++machines;
  }
  EXPECT_GE(machines, 15);
}

TEST(Restrict, ToAllPusNothingChanges) {
  const Image image = load_xml(described("gpu-node"));
  EXPECT_EQ(restricted_image(image, Machine(image).allowed()), image);
}

TEST(Restrict, ObjectsWithoutPusGoAndTheOthersAreNumberedAnew) {
  const Image image = load_xml(described("gpu-node"));
  const Image small = restricted_image(image, CpuSet::parse_list("18-21,99"));
  const Machine machine(small);
  EXPECT_EQ(machine.allowed().to_list(), "18-21");
  EXPECT_EQ(machine.complete().to_list(), "0-31");
  EXPECT_EQ(machine.count(ObjectType::package), 1);
  EXPECT_EQ(machine.os_index(ObjectType::package, 0), 1);
  EXPECT_EQ(machine.count(ObjectType::l3), 2);
  EXPECT_EQ(machine.cpuset(ObjectType::l3, 1).to_list(), "20-21");
  EXPECT_EQ(machine.core_of(20), 2);
  EXPECT_EQ(machine.core_of(17), std::nullopt);
  EXPECT_EQ(machine.count(ObjectType::numa), 2) << "memory stays";
  EXPECT_EQ(machine.cpuset(ObjectType::numa, 0), CpuSet());
  EXPECT_EQ(machine.parent(ObjectType::numa, 0), (ObjectRef{ObjectType::machine, 0}));
  EXPECT_EQ(machine.memory_kind(0), MemoryKind::dram);
  EXPECT_EQ(machine.count(DeviceKind::gpu), 4) << "devices stay";
  EXPECT_EQ(machine.devices_near(DeviceKind::gpu, ObjectType::package, 0), (std::vector<int>{2, 3}));
  EXPECT_EQ(machine.devices_near(DeviceKind::gpu, ObjectType::numa, 0), (std::vector<int>{0, 1}));
}

TEST(Restrict, ToSomeNumaNodesTheOthersAndTheirDistancesGo) {
  const Image image = load_xml(described("gpu-node"));
  const Machine all(image);
  const Draft draft = restricted(draft_of(all), all.allowed(), {1});
  const Image small = assemble(draft);
  const Machine machine(small);
  EXPECT_EQ(nodes_of(machine), CpuSet{1});
  ASSERT_EQ(machine.count(ObjectType::numa), 1);
  EXPECT_EQ(machine.cpuset(ObjectType::numa, 0), all.cpuset(ObjectType::numa, 1));
  EXPECT_EQ(machine.memory_bytes(0), all.memory_bytes(1));
  EXPECT_EQ(machine.numa_distance(0, 0), all.numa_distance(1, 1));
  EXPECT_EQ(machine.allowed(), all.allowed()) << "PUs stay without their memory";
  EXPECT_EQ(machine.count(ObjectType::pu), all.count(ObjectType::pu));
  EXPECT_EQ(machine.device(DeviceKind::gpu, 0).numa, -1) << "its node is gone";
  EXPECT_EQ(machine.device(DeviceKind::gpu, 2).numa, 0);
  EXPECT_EQ(machine.devices_near(DeviceKind::gpu, ObjectType::numa, 0), (std::vector<int>{2, 3}));
}

// Of fast and ordinary memory for the same PUs.
TEST(Restrict, ADeviceWhoseNodeGoesIsNextToAnotherForTheSamePus) {
  const Image image = load_xml(described("two-memories"));
  const Machine all(image);
  Draft draft = draft_of(all);
  ASSERT_GE(all.count(ObjectType::numa), 2);
  const CpuSet near = all.cpuset(ObjectType::numa, 0);
  int other = 1;
  while (other < all.count(ObjectType::numa) && !(all.cpuset(ObjectType::numa, other) == near)) ++other;
  ASSERT_LT(other, all.count(ObjectType::numa));
  DraftDevice device;
  device.record.kind = static_cast<std::uint32_t>(DeviceKind::gpu);
  device.record.pci_domain = -1;
  device.record.numa = 0;
  device.cpus = near;
  draft.devices = {device};
  CpuSet left = nodes_of(all);
  left.erase(static_cast<std::size_t>(all.os_index(ObjectType::numa, 0)));
  EXPECT_EQ(restricted(draft, all.allowed(), left).devices[0].record.numa, other - 1);
}

TEST(Restrict, KindsOfCoresWithoutPusGo) {
  const Image image = load_xml(described("hybrid"));
  const Image small = restricted_image(image, {0, 1});
  ASSERT_EQ(Machine(small).core_kind_count(), 1);
  EXPECT_EQ(words_of(Machine(small).core_kind(0).name), "IntelCore");
}

TEST(Restrict, ToNothingIsAnError) {
  const Image image = load_xml(described("hybrid"));
  EXPECT_THROW((void)restricted_image(image, {5}), Error);
}

// What a cgroup forbids in the file is left out by hwloc itself where it is not asked for all; the two must agree.
TEST(Restrict, AsHwlocDoesWithAForbiddenPackage) {
  std::ifstream file(described("forbidden-package"));
  std::ostringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  const std::string allowed = "allowed_cpuset=\"0x00000030\"";
  ASSERT_NE(all.find(allowed), std::string::npos);
  all.replace(all.find(allowed), allowed.size(), "allowed_cpuset=\"0x000000ff\"");
  const comity::testing::TemporaryFolder folder;
  const std::string path = folder / "all-allowed.xml";
  std::ofstream(path) << all;
  Draft draft = restricted(draft_of(Machine(load_xml(path))), {4, 5});
  const Image forbidden = load_xml(described("forbidden-package"));
  draft.name = Machine(forbidden).name();
  EXPECT_EQ(assemble(draft), forbidden);
}

struct OnePuCase {
  const char* machine;
  const char* pus;
};

TEST(OneACore, IsTheLowestOfEach) {
  for (const OnePuCase& one :
       {OnePuCase{"laptop-smt", "0-3"}, OnePuCase{"hybrid", "0,2,4,6,8,10"}, OnePuCase{"e5-2660v3", "0-19"},
        OnePuCase{"knl-7250", "0-67"}, OnePuCase{"gpu-node", "0-31"}, OnePuCase{"forbidden", "2-5"}}) {
    const Image image = load_xml(described(one.machine));
    EXPECT_EQ(one_a_core(draft_of(Machine(image))).to_list(), one.pus) << one.machine;
  }
}

TEST(OneACore, WithoutCoresIsEveryPu) {
  const Image image = load_synthetic("package:2 pu:3");
  EXPECT_EQ(one_a_core(draft_of(Machine(image))).to_list(), "0-5");
}

TEST(Packed, HoldsWhatIsAllowedOneACoreAndAll) {
  const Image packed = load_for_node({.xml_file = described("forbidden")});
  const NodeMachines machines = unpack(packed);
  EXPECT_EQ(Machine(packed).allowed().to_list(), "2-5") << "to whoever knows of no others";
  EXPECT_EQ(machines.allowed.cpuset(ObjectType::machine, 0).to_list(), "2-5");
  EXPECT_EQ(machines.complete.cpuset(ObjectType::machine, 0).to_list(), "0-7");
  EXPECT_EQ(machines.complete.allowed().to_list(), "2-5");
  const Image smt = load_for_node({.xml_file = described("laptop-smt")});
  EXPECT_EQ(unpack(smt).cores.count(ObjectType::pu), 4);
  EXPECT_EQ(unpack(smt).cores.count(ObjectType::core), 4);
  EXPECT_EQ(unpack(smt).cores.cpuset(ObjectType::core, 3), CpuSet{3});
  EXPECT_EQ(unpack(smt).cores.siblings(7), CpuSet());
}

// What the cgroup forbids now it may allow later.
TEST(Packed, HoldsAllNumaNodesInTheWhole) {
  std::ifstream file(described("forbidden-package"));
  std::ostringstream text;
  text << file.rdbuf();
  std::string some = text.str();
  const std::string both = "allowed_nodeset=\"0x00000003\"";
  ASSERT_NE(some.find(both), std::string::npos);
  some.replace(some.find(both), both.size(), "allowed_nodeset=\"0x00000002\"");
  const comity::testing::TemporaryFolder folder;
  const std::string path = folder / "one-node.xml";
  std::ofstream(path) << some;
  const Image packed = load_for_node({.xml_file = path});
  const NodeMachines machines = unpack(packed);
  EXPECT_EQ(nodes_of(machines.allowed), CpuSet{1});
  EXPECT_EQ(nodes_of(machines.cores), CpuSet{1});
  EXPECT_EQ(nodes_of(machines.complete), (CpuSet{0, 1}));
  EXPECT_EQ(nodes_of(Machine(load_xml(path))), CpuSet{1});
}

TEST(Packed, CutOffAnywhereItIsRefused) {
  const Image packed = load_for_node({.xml_file = described("hybrid")});
  for (std::size_t bytes = 0; bytes < packed.size(); bytes += 8) {
    EXPECT_THROW((void)unpack(std::span(packed).first(bytes)), Error) << bytes;
  }
}

}  // namespace
}  // namespace comity::machine
