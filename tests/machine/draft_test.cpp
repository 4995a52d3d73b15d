// SPDX-License-Identifier: BSD-3-Clause
// Machines that hwloc would not build, flattened from a hand-made draft.
#include "machine/draft.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "machine/machine.hpp"

namespace comity::machine {
namespace {

std::vector<DraftObject>& objects_of(Draft& draft, ObjectType type) {
  return draft.objects[static_cast<std::size_t>(type)];
}

void add(Draft& draft, ObjectType type, const CpuSet& cpus, std::optional<ObjectRef> parent) {
  auto& objects = objects_of(draft, type);
  draft.tree_order.push_back({type, static_cast<int>(objects.size())});
  objects.push_back({.os_index = static_cast<int>(objects.size()), .bytes = 0, .cpus = cpus, .parent = parent});
}

// A machine with these PUs, each under the machine, and one NUMA node.
Draft flat_draft(const CpuSet& pus) {
  Draft draft;
  draft.name = "by hand";
  draft.allowed = pus;
  draft.complete = pus;
  add(draft, ObjectType::machine, pus, std::nullopt);
  add(draft, ObjectType::numa, pus, ObjectRef{ObjectType::machine, 0});
  pus.for_each([&](std::size_t pu) { add(draft, ObjectType::pu, {pu}, ObjectRef{ObjectType::machine, 0}); });
  return draft;
}

TEST(Draft, NameKindAndBindingArePassedOn) {
  Draft draft = flat_draft({0, 1});
  draft.kind = Kind::synthetic;
  draft.simulated = true;
  const Image image = assemble(draft);
  EXPECT_EQ(Machine(image).name(), "by hand");
  EXPECT_EQ(Machine(image).kind(), Kind::synthetic);
  EXPECT_TRUE(Machine(image).simulated());
}

TEST(Draft, NearestIsTheSmallestCoverAndAmongEqualsTheLowest) {
  Draft draft = flat_draft(CpuSet::first(8));
  add(draft, ObjectType::numa, {0, 1, 2, 3}, ObjectRef{ObjectType::machine, 0});
  add(draft, ObjectType::numa, {0, 1}, ObjectRef{ObjectType::machine, 0});
  add(draft, ObjectType::numa, {0, 1}, ObjectRef{ObjectType::machine, 0});
  const Image image = assemble(draft);
  const Machine machine(image);
  EXPECT_EQ(machine.nearest(ObjectType::numa, {0}), 2);
  EXPECT_EQ(machine.nearest(ObjectType::numa, {0, 3}), 1);
  EXPECT_EQ(machine.nearest(ObjectType::numa, {0, 4}), 0);
  EXPECT_EQ(machine.nearest(ObjectType::numa, {0, 8}), std::nullopt);
  EXPECT_EQ(machine.first_intersecting(ObjectType::numa, {0}), 0);
}

struct ClosestCase {
  CpuSet cpus;
  std::optional<int> index;  // none: no object shares a PU
  bool covers;
};

// NUMA nodes: 0 has PUs 0-7, 1 has 0-3, 2 and 3 have 4-5, 4 has none.
TEST(Draft, ClosestIsTheSmallestCoverElseTheLargestOverlapAndAmongEqualsTheLowest) {
  Draft draft = flat_draft(CpuSet::first(8));
  draft.allowed = draft.complete = CpuSet::first(10);
  for (const CpuSet& cpus : {CpuSet{0, 1, 2, 3}, CpuSet{4, 5}, CpuSet{4, 5}, CpuSet{}}) {
    add(draft, ObjectType::numa, cpus, ObjectRef{ObjectType::machine, 0});
  }
  add(draft, ObjectType::core, {0, 1, 2}, ObjectRef{ObjectType::machine, 0});
  add(draft, ObjectType::core, {3, 4}, ObjectRef{ObjectType::machine, 0});
  add(draft, ObjectType::core, {5, 6}, ObjectRef{ObjectType::machine, 0});
  const Image image = assemble(draft);
  const Machine machine(image);
  const auto expect = [&](ObjectType type, const ClosestCase& expected) {
    const auto found = machine.closest(type, expected.cpus);
    ASSERT_EQ(found.has_value(), expected.index.has_value()) << expected.cpus.to_list();
    if (!found) return;
    EXPECT_EQ(found->index, *expected.index) << expected.cpus.to_list();
    EXPECT_EQ(found->covers, expected.covers) << expected.cpus.to_list();
  };
  for (const ClosestCase& one : std::vector<ClosestCase>{{{0}, 1, true},
                                                         {{4}, 2, true},
                                                         {{3, 4}, 0, true},
                                                         {{7, 8}, 0, false},
                                                         {{4, 5, 9}, 0, false},
                                                         {{8, 9}, std::nullopt, false},
                                                         {{}, std::nullopt, false}}) {
    expect(ObjectType::numa, one);
  }
  for (const ClosestCase& one : std::vector<ClosestCase>{{{0, 2}, 0, true},
                                                         {{2, 3, 4}, 1, false},
                                                         {{2, 3}, 0, false},
                                                         {{4, 5}, 1, false},
                                                         {{0, 5, 6}, 2, false},
                                                         {{7}, std::nullopt, false}}) {
    expect(ObjectType::core, one);
  }
  expect(ObjectType::package, {{0}, std::nullopt, false});
}

TEST(Draft, DevicesAreNumberedByKind) {
  Draft draft = flat_draft({0, 1});
  for (const DeviceKind kind : {DeviceKind::nic, DeviceKind::gpu, DeviceKind::nic}) {
    DraftDevice device;
    device.record.kind = static_cast<std::uint32_t>(kind);
    device.record.numa = -1;
    device.record.pci_domain = -1;
    set_text(device.record.name, std::string(kind_name(kind)) + std::to_string(draft.devices.size()));
    device.cpus = CpuSet{draft.devices.size() % 2};
    draft.devices.push_back(device);
  }
  const Image image = assemble(draft);
  const Machine machine(image);
  EXPECT_EQ(machine.count(DeviceKind::gpu), 1);
  EXPECT_EQ(machine.count(DeviceKind::nic), 2);
  EXPECT_EQ(words_of(machine.device(DeviceKind::gpu, 0).name), "gpu1");
  EXPECT_EQ(words_of(machine.device(DeviceKind::nic, 1).name), "nic2");
  EXPECT_EQ(machine.device_cpuset(DeviceKind::gpu, 0), CpuSet{1});
  EXPECT_EQ(machine.devices_near(DeviceKind::nic, ObjectType::pu, 0), (std::vector<int>{0, 1}));
  EXPECT_EQ(machine.devices_near(DeviceKind::nic, ObjectType::pu, 1), std::vector<int>{});
  EXPECT_EQ(pci_address(machine.device(DeviceKind::nic, 0)), "");
  EXPECT_THROW((void)machine.device(static_cast<DeviceKind>(2), 0), Error);
}

TEST(Draft, TextsAreCutAndMadePrintable) {
  Text<8> field{};
  set_text(field,
           "a\n\xC3\xA9"
           "bcdefgh");
  EXPECT_EQ(words_of(field), "a???bcd");
  set_text(field, "x");
  EXPECT_EQ(words_of(field), "x");
}

TEST(Draft, MasksReachAsFarAsTheHighestPuAndNoFurther) {
  const Image low = assemble(flat_draft({0, 63}));
  const Image high = assemble(flat_draft({0, 64}));
  EXPECT_LT(low.size(), high.size());
  EXPECT_EQ(Machine(high).cpuset(ObjectType::machine, 0), CpuSet({0, 64}));
  EXPECT_EQ(Machine(low).nearest(ObjectType::machine, {64}), std::nullopt);
}

TEST(Draft, UnknownDistancesHaveNoAnswer) {
  Draft draft = flat_draft({0, 1});
  add(draft, ObjectType::numa, {1}, ObjectRef{ObjectType::machine, 0});
  draft.distances = {10, kUnknownDistance, 21, 10};
  const Image image = assemble(draft);
  EXPECT_EQ(Machine(image).numa_distance(0, 1), std::nullopt);
  EXPECT_EQ(Machine(image).numa_distance(1, 0), 21);
}

TEST(Draft, ADraftWithoutPusIsRefused) {
  Draft draft = flat_draft({0});
  objects_of(draft, ObjectType::pu).clear();
  draft.tree_order.pop_back();
  EXPECT_THROW((void)assemble(draft), Error);
}

TEST(Draft, MoreObjectsThanTheFormatCountsAreRefusedWithTheNumber) {
  Draft draft = flat_draft({0});
  objects_of(draft, ObjectType::l1).resize(65536);
  try {
    (void)assemble(draft);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::topology);
    EXPECT_NE(std::string(error.what()).find("65536 objects of type l1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace comity::machine
