// SPDX-License-Identifier: BSD-3-Clause
#include "base/cpu_set.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"

namespace comity {
namespace {

TEST(CpuSet, ListAndHexFormsNameTheSameSet) {
  EXPECT_EQ(CpuSet::parse_list("0-3,8"), CpuSet::parse_hex("0x10f"));
  EXPECT_EQ(CpuSet::parse_list("0-3,8").to_hex(), "0x10f");
  EXPECT_EQ(CpuSet::parse_hex("0x10f").to_list(), "0-3,8");
}

TEST(CpuSet, KernelHexFormWithCommasIsRead) {
  EXPECT_EQ(CpuSet::parse_hex("1,00000000"), CpuSet({32}));
  EXPECT_EQ(CpuSet::parse_hex("ffffffff,ffffffff").count(), 64U);
}

TEST(CpuSet, EmptySetHasBothForms) {
  EXPECT_EQ(CpuSet().to_list(), "");
  EXPECT_EQ(CpuSet().to_hex(), "0x0");
  EXPECT_TRUE(CpuSet::parse_list("").empty());
  EXPECT_TRUE(CpuSet::parse_hex("0x0").empty());
}

TEST(CpuSet, MembersAcrossWordBoundaries) {
  const CpuSet set{63, 64, 127, 128, 2047};
  EXPECT_EQ(set.to_list(), "63-64,127-128,2047");
  EXPECT_EQ(set.highest(), 2047U);
  EXPECT_EQ(set.next(65), 127U);
  EXPECT_EQ(set.next(2048), std::nullopt);
}

TEST(CpuSet, RandomSetsSurviveBothForms) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    CpuSet set;
    const std::size_t span = 1 + random() % CpuSet::kCapacity;
    for (int i = 0; i < 40; ++i) set.insert(random() % span);
    EXPECT_EQ(CpuSet::parse_list(set.to_list()), set);
    EXPECT_EQ(CpuSet::parse_hex(set.to_hex()), set);
  }
}

TEST(CpuSet, SetAlgebra) {
  const CpuSet a{0, 1, 2};
  const CpuSet b{2, 3};
  EXPECT_EQ(a | b, CpuSet({0, 1, 2, 3}));
  EXPECT_EQ(a & b, CpuSet({2}));
  EXPECT_EQ(a - b, CpuSet({0, 1}));
  EXPECT_TRUE(a.intersects(b));
  EXPECT_FALSE(a.encloses(b));
  EXPECT_TRUE(a.encloses(CpuSet({0, 2})));
  EXPECT_TRUE(a.encloses(CpuSet()));
}

TEST(CpuSet, BrokenTextIsRejectedWithTheCharacter) {
  for (const char* text : {"x", "1-", "3-1", "1,,2", "1,", "1;2", "2048", "-1", "99999999999999999999"}) {
    try {
      (void)CpuSet::parse_list(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::argument) << text;
      EXPECT_NE(std::string(error.what()).find("at character"), std::string::npos) << error.what();
    }
  }
  for (const char* text : {"", "0x", "0xg", "1,0", "0x,", "0x7,", "0x,00000001", "0x1,,00000000", ",00000001"}) {
    EXPECT_THROW((void)CpuSet::parse_hex(text), Error) << text;
  }
}

TEST(CpuSet, ANumberThatIsTooLargeIsToldAsSuch) {
  for (const char* text : {"2048", "99999999999999999999"}) {
    try {
      (void)CpuSet::parse_list(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("CPU numbers end at 2047"), std::string::npos) << error.what();
    }
  }
}

TEST(CpuSet, InsertBeyondTheCapacityIsARangeError) {
  CpuSet set;
  EXPECT_THROW(set.insert(CpuSet::kCapacity), Error);
  EXPECT_TRUE(set.empty());
}

}  // namespace
}  // namespace comity
