// SPDX-License-Identifier: BSD-3-Clause
// Machines larger than any that the tests run on, each against the arithmetic of its description.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "machine/loader.hpp"
#include "machine/machine.hpp"

namespace comity::machine {
namespace {

struct Shape {
  int packages;
  int cores;    // a package
  int threads;  // a core
};

class Synthetic : public testing::TestWithParam<Shape> {
 protected:
  [[nodiscard]] static std::string description() {
    const Shape shape = GetParam();
    return "package:" + std::to_string(shape.packages) + " [numa] l3:1 core:" + std::to_string(shape.cores) +
           " pu:" + std::to_string(shape.threads);
  }

  const Image image_ = load_synthetic(description());
  const Machine machine_{image_};
};

CpuSet range(int first, int count) {
  CpuSet set;
  for (int cpu = first; cpu < first + count; ++cpu) set.insert(static_cast<std::size_t>(cpu));
  return set;
}

TEST_P(Synthetic, CountsAreTheProductsOfTheDescription) {
  const auto [packages, cores, threads] = GetParam();
  EXPECT_EQ(machine_.count(ObjectType::machine), 1);
  EXPECT_EQ(machine_.count(ObjectType::package), packages);
  EXPECT_EQ(machine_.count(ObjectType::numa), packages);
  EXPECT_EQ(machine_.count(ObjectType::l3), packages);
  EXPECT_EQ(machine_.count(ObjectType::l2), 0);
  EXPECT_EQ(machine_.count(ObjectType::core), packages * cores);
  EXPECT_EQ(machine_.harts(), packages * cores * threads);
}

TEST_P(Synthetic, EveryObjectHoldsItsOwnRangeOfPus) {
  const auto [packages, cores, threads] = GetParam();
  for (int package = 0; package < packages; ++package) {
    EXPECT_EQ(machine_.cpuset(ObjectType::package, package), range(package * cores * threads, cores * threads));
    EXPECT_EQ(machine_.count_within(ObjectType::core, ObjectType::package, package), cores);
    EXPECT_EQ(machine_.count_within(ObjectType::pu, ObjectType::numa, package), cores * threads);
  }
  for (int core = 0; core < packages * cores; ++core) {
    EXPECT_EQ(machine_.cpuset(ObjectType::core, core), range(core * threads, threads));
    EXPECT_EQ(machine_.count_within(ObjectType::pu, ObjectType::core, core), threads);
    EXPECT_EQ(machine_.nearest(ObjectType::package, machine_.cpuset(ObjectType::core, core)), core / cores);
  }
}

TEST_P(Synthetic, EveryPuKnowsItsCoreAndSiblings) {
  const auto [packages, cores, threads] = GetParam();
  for (int pu = 0; pu < packages * cores * threads; ++pu) {
    const auto cpu = static_cast<std::size_t>(pu);
    EXPECT_EQ(machine_.core_of(cpu), pu / threads);
    EXPECT_EQ(machine_.pu_index(cpu), pu);
    EXPECT_EQ(machine_.siblings(cpu), range(pu / threads * threads, threads));
  }
}

TEST_P(Synthetic, CountsWithinAgreeWithTheMasks) {
  for (const ObjectTypeRow& outer : kObjectTypes) {
    for (int i = 0; i < machine_.count(outer.type); i += 7) {
      const CpuSet around = machine_.cpuset(outer.type, i);
      for (const ObjectTypeRow& inner : kObjectTypes) {
        int inside = 0;
        for (int j = 0; j < machine_.count(inner.type); ++j) {
          if (around.encloses(machine_.cpuset(inner.type, j))) ++inside;
        }
        EXPECT_EQ(machine_.count_within(inner.type, outer.type, i), inside) << inner.name << " in " << outer.name;
      }
    }
  }
}

TEST_P(Synthetic, CoresFirstGoesRoundTheCoresOncePerSibling) {
  const auto [packages, cores, threads] = GetParam();
  const auto order = machine_.cores_first(machine_.allowed());
  const int all_cores = packages * cores;
  ASSERT_EQ(order.size(), static_cast<std::size_t>(all_cores * threads));
  for (int i = 0; i < all_cores * threads; ++i) {
    const int sibling = i / all_cores;
    const int core = i % all_cores;
    EXPECT_EQ(order[static_cast<std::size_t>(i)], static_cast<std::size_t>(core * threads + sibling));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Synthetic,
                         testing::Values(Shape{1, 1, 1}, Shape{1, 2, 1}, Shape{2, 8, 2}, Shape{2, 31, 1},
                                         Shape{2, 32, 1}, Shape{4, 16, 4}, Shape{4, 64, 2}, Shape{2, 96, 2}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.packages) + "x" + std::to_string(shape.param.cores) + "x" +
                                  std::to_string(shape.param.threads);
                         });

TEST(SyntheticMachine, AMachineOfTheFullCapacityIsRead) {
  const Image image = load_synthetic("package:8 core:128 pu:2");
  const Machine machine(image);
  EXPECT_EQ(machine.harts(), static_cast<int>(CpuSet::kCapacity));
  EXPECT_EQ(machine.cpuset(ObjectType::pu, 2047), CpuSet{2047});
  EXPECT_EQ(machine.core_of(2047), 1023);
  EXPECT_EQ(machine.core_of(2048), std::nullopt);
}

TEST(SyntheticMachine, WithoutCoresEveryPuStandsForItself) {
  const Image image = load_synthetic("package:2 pu:3");
  const Machine machine(image);
  EXPECT_EQ(machine.count(ObjectType::core), 0);
  EXPECT_EQ(machine.core_of(4), std::nullopt);
  EXPECT_EQ(machine.siblings(4), CpuSet{4});
  EXPECT_EQ(machine.cores_first({5, 1, 3}), (std::vector<std::size_t>{1, 3, 5}));
  EXPECT_THROW((void)machine.cpuset(ObjectType::core, 0), Error);
}

TEST(SyntheticMachine, ThereIsAlwaysANumaNode) {
  const Image image = load_synthetic("core:2 pu:1");
  EXPECT_EQ(Machine(image).count(ObjectType::numa), 1);
  EXPECT_EQ(Machine(image).cpuset(ObjectType::numa, 0), CpuSet({0, 1}));
}

// 2 dies a package without a cache of their own: hwloc's group in between is no type of ours.
TEST(SyntheticMachine, NumaNodesStandBeforeWhatTheyAreTheMemoryOf) {
  const Image image = load_synthetic("package:1 numa:2 core:2 pu:1");
  const Machine machine(image);
  ASSERT_EQ(machine.child_count(ObjectType::package, 0), 6);
  const std::array<ObjectRef, 6> expected{{{ObjectType::numa, 0},
                                           {ObjectType::core, 0},
                                           {ObjectType::core, 1},
                                           {ObjectType::numa, 1},
                                           {ObjectType::core, 2},
                                           {ObjectType::core, 3}}};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(machine.child(ObjectType::package, 0, i), expected[static_cast<std::size_t>(i)]) << i;
  }
  EXPECT_THROW((void)machine.child(ObjectType::package, 0, 6), Error);
  EXPECT_THROW((void)machine.child(ObjectType::package, 0, -1), Error);
}

TEST(SyntheticMachine, TheTreeHoldsEveryObjectOnce) {
  const Image image = load_synthetic("package:2 numa:2 l3:1 l2:2 core:2 pu:2");
  const Machine machine(image);
  std::set<std::pair<ObjectType, int>> seen;
  std::vector<ObjectRef> open{{ObjectType::machine, 0}};
  while (!open.empty()) {
    const ObjectRef object = open.back();
    open.pop_back();
    EXPECT_TRUE(seen.emplace(object.type, object.index).second);
    for (int i = 0; i < machine.child_count(object.type, object.index); ++i) {
      open.push_back(machine.child(object.type, object.index, i));
      EXPECT_EQ(machine.parent(open.back().type, open.back().index), object);
    }
  }
  std::size_t objects = 0;
  for (const ObjectTypeRow& row : kObjectTypes) objects += static_cast<std::size_t>(machine.count(row.type));
  EXPECT_EQ(seen.size(), objects);
}

TEST(SyntheticMachine, RejectionsNameTypeIndexAndCount) {
  const Image image = load_synthetic("package:2 core:2 pu:1");
  const Machine machine(image);
  const auto message = [&](ObjectType type, int index, Status status) -> std::string {
    try {
      (void)machine.cpuset(type, index);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  };
  EXPECT_EQ(message(ObjectType::core, 4, Status::range), "find core 4: this machine has 4, so indices are 0 to 3");
  EXPECT_NE(message(ObjectType::l2, 0, Status::not_found).find("no object of type l2"), std::string::npos);
  EXPECT_NE(message(static_cast<ObjectType>(200), 0, Status::argument).find("200"), std::string::npos);
  EXPECT_THROW((void)machine.nearest(static_cast<ObjectType>(200), CpuSet{0}), Error);
  EXPECT_THROW((void)machine.count_within(static_cast<ObjectType>(200), ObjectType::machine, 0), Error);
}

}  // namespace
}  // namespace comity::machine
