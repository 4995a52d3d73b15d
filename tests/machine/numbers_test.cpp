// SPDX-License-Identifier: BSD-3-Clause
#include "machine/numbers.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.hpp"
#include "machine/draft.hpp"
#include "machine/loader.hpp"
#include "machine/restrict.hpp"

namespace comity::machine {
namespace {

struct Case {
  const char* machine;  // a synthetic description, or a file of tests/data/machines
  ObjectType type;
  Numbering numbering;
  const char* cpus;
  const char* numbers;
};

Image image_of(const std::string& machine) {
  if (!machine.ends_with(".xml")) return load_synthetic(machine);
  return load_xml(std::string(COMITY_TEST_DATA "/machines/") + machine);
}

class Numbers : public testing::TestWithParam<Case> {};

TEST_P(Numbers, LeadThereAndBack) {
  const Case& one = GetParam();
  const Image image = image_of(one.machine);
  const Machine machine(image);
  const CpuSet cpus = CpuSet::parse_list(one.cpus);
  EXPECT_EQ(numbers_of(machine, one.type, one.numbering, cpus).to_list(), one.numbers);
  EXPECT_EQ(objects_numbered(machine, one.type, one.numbering, CpuSet::parse_list(one.numbers)).to_list(), one.cpus);
}

constexpr Numbering kLogical = Numbering::logical;
constexpr Numbering kPhysical = Numbering::physical;
constexpr const char* kPaper = "package:2 numa:2 core:4 pu:2";
// Its packages have the even and the odd CPUs.
constexpr const char* kInterleaved = "e5-2670.xml";

INSTANTIATE_TEST_SUITE_P(Machines, Numbers,
                         testing::Values(Case{kPaper, ObjectType::pu, kLogical, "0-3,31", "0-3,31"},
                                         Case{kPaper, ObjectType::core, kLogical, "0-3,30-31", "0-1,15"},
                                         Case{kPaper, ObjectType::numa, kLogical, "8-15,24-31", "1,3"},
                                         Case{kPaper, ObjectType::core, kLogical, "", ""},
                                         Case{kInterleaved, ObjectType::pu, kLogical, "0,2,4", "0-2"},
                                         Case{kInterleaved, ObjectType::pu, kPhysical, "0,2,4", "0,2,4"},
                                         Case{kInterleaved, ObjectType::pu, kLogical, "1,3", "8-9"},
                                         Case{kInterleaved, ObjectType::package, kPhysical, "1,3,5,7,9,11,13,15", "1"},
                                         Case{"package:2 numa:4 core:24 pu:2", ObjectType::core, kLogical,
                                              "48-95,382-383", "24-47,191"}));

TEST(NumbersOf, AnObjectThatIsTouchedIsNamed) {
  const Image image = image_of(kPaper);
  EXPECT_EQ(numbers_of(Machine(image), ObjectType::core, kLogical, {1, 4}).to_list(), "0,2");
}

Status status_of(const std::function<void()>& call, const std::string& words) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    return error.status();
  }
  return Status::ok;
}

TEST(NumbersOf, WhatHasNoneIsTold) {
  const Image image = image_of(kPaper);
  const Machine machine(image);
  const auto refused = [&](ObjectType type, const CpuSet& cpus, const char* words) {
    return status_of([&] { (void)numbers_of(machine, type, kLogical, cpus); }, words);
  };
  EXPECT_EQ(refused(ObjectType::l3, {0}, "no object of type l3"), Status::not_found);
  EXPECT_EQ(refused(ObjectType::core, {0, 40}, "CPUs 40 are in none"), Status::not_found);
}

TEST(ObjectsNumbered, ANumberThatNoneHasIsTold) {
  const Image image = image_of(kPaper);
  const Machine machine(image);
  const auto refused = [&] { (void)objects_numbered(machine, ObjectType::package, kLogical, {1, 2}); };
  EXPECT_EQ(status_of(refused, "none with number 2"), Status::range);
}

// As hwloc has the cores of a machine with one number a package: 0 .. 7 twice.
TEST(PhysicalNumbers, ThatSeveralObjectsHaveAreTold) {
  Draft draft = draft_of(Machine(image_of(kPaper)));
  int core = 0;
  for (DraftObject& object : draft.objects[static_cast<std::size_t>(ObjectType::core)]) object.os_index = core++ % 8;
  const Image image = assemble(draft);
  const Machine machine(image);
  const auto refused = [&] { (void)numbers_of(machine, ObjectType::core, kPhysical, {0}); };
  EXPECT_EQ(status_of(refused, "two have the number 0"), Status::unsupported);
  EXPECT_EQ(numbers_of(machine, ObjectType::pu, kPhysical, {0, 9}).to_list(), "0,9");
}

}  // namespace
}  // namespace comity::machine
