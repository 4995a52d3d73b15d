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
