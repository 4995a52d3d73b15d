// SPDX-License-Identifier: BSD-3-Clause
#include "machine/object_type.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace comity::machine {
namespace {

std::string rejection_of(std::string_view name) {
  try {
    (void)parse_type(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::argument) << name;
    return error.what();
  }
  return "";
}

TEST(ObjectType, RowsStandAtTheirNumbers) {
  for (std::size_t i = 0; i < kObjectTypes.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kObjectTypes[i].type), i);
  }
  EXPECT_EQ(static_cast<int>(ObjectType::machine), 0);
  EXPECT_EQ(static_cast<int>(ObjectType::pu), 7);
}

TEST(ObjectType, EveryNameIsReadBack) {
  for (const ObjectTypeRow& row : kObjectTypes) EXPECT_EQ(parse_type(type_name(row.type)), row.type);
}

TEST(ObjectType, AliasesAreRead) {
  EXPECT_EQ(parse_type("socket"), ObjectType::package);
  EXPECT_EQ(parse_type("numanode"), ObjectType::numa);
}

TEST(ObjectType, AMisspeltNameGetsTheNearestOne) {
  EXPECT_NE(rejection_of("packge").find("did you mean package?"), std::string::npos);
  EXPECT_NE(rejection_of("cores").find("did you mean core?"), std::string::npos);
  EXPECT_NE(rejection_of("soket").find("did you mean socket?"), std::string::npos);
}

TEST(ObjectType, ANameFarFromAllGetsTheList) {
  EXPECT_NE(rejection_of("hypervisor").find("machine, package, numa, l3, l2, l1, core, pu"), std::string::npos);
}

TEST(ObjectType, NodeIsAmbiguousAndRefused) {
  EXPECT_NE(rejection_of("node").find("machine for the whole node, numa for a NUMA node"), std::string::npos);
}

TEST(ObjectType, TheEmptyNameIsRefused) { EXPECT_NE(rejection_of(""), ""); }

TEST(ObjectType, ANumberOutsideTheEnumerationHasNoName) {
  EXPECT_THROW((void)type_name(static_cast<ObjectType>(8)), Error);
}

}  // namespace
}  // namespace comity::machine
