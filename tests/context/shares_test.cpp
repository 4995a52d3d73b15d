// SPDX-License-Identifier: BSD-3-Clause
#include "context/shares.hpp"

#include <gtest/gtest.h>

#include <string>

namespace comity::context {
namespace {

using Sets = std::vector<CpuSet>;

const Sets kFour{{0}, {1}, {2}, {3}};
const Sets kFourOfTwo{{0, 4}, {1, 5}, {2, 6}, {3, 7}};
const CpuSet kAll{0, 1, 2, 3};

std::vector<std::string> equal_shares(const Sets& cores, std::size_t sharers) {
  std::vector<std::string> shares;
  for (std::size_t place = 0; place < sharers; ++place) shares.push_back(equal_share(cores, sharers, place).to_list());
  return shares;
}

std::vector<std::string> narrow_shares(const Sets& cores, const Sets& sharers, const Sets& working, std::size_t width) {
  std::vector<std::string> shares;
  for (std::size_t place = 0; place < sharers.size(); ++place) {
    shares.push_back(narrow_share(cores, sharers, place, working, width).to_list());
  }
  return shares;
}

using Lists = std::vector<std::string>;

TEST(EqualShare, DividesTheCoresInOrder) {
  EXPECT_EQ(equal_shares(kFour, 1), Lists{"0-3"});
  EXPECT_EQ(equal_shares(kFour, 2), (Lists{"0-1", "2-3"}));
  EXPECT_EQ(equal_shares(kFour, 3), (Lists{"0", "1", "2-3"}));
  EXPECT_EQ(equal_shares(kFour, 5), (Lists{"0", "0", "1", "2", "3"})) << "ranks double up";
  EXPECT_EQ(equal_shares({}, 1), Lists{""}) << "the cgroup has taken them all";
}

// Four ranks, each on a core; two were selected, and all four stay where they are.
TEST(NarrowShare, LeavesTheCoresOfThoseThatGoOnWorking) {
  EXPECT_EQ(narrow_shares(kFour, {{0}, {1}}, {{2}, {3}}, 1), (Lists{"0", "1"}));
  EXPECT_EQ(narrow_shares(kFour, {{2}, {3}}, {{0}, {1}}, 1), (Lists{"2", "3"}));
  EXPECT_EQ(narrow_shares(kFour, {{0}, {3}}, {{1}, {2}}, 1), (Lists{"0", "3"}));
}

TEST(NarrowShare, TakesCoresOfOthersWhereItNeedsThem) {
  EXPECT_EQ(narrow_shares(kFour, {{0}}, {{1}, {2}, {3}}, 2), Lists{"0-1"});
  EXPECT_EQ(narrow_shares(kFour, {{0}}, {{1}, {1}, {2}}, 3), Lists{"0,2-3"}) << "two of them work on core 1";
}

TEST(NarrowShare, TakesAWorkersManyCoresForLessThanItsOnlyOne) {
  EXPECT_EQ(narrow_shares(kFour, {{0}}, {{1}, {2, 3}}, 2), Lists{"0,2"});
}

TEST(NarrowShare, GivesNoCoreTwice) {
  EXPECT_EQ(narrow_shares(kFour, {{0}, {0}}, {}, 1), (Lists{"0", "2"}));
  EXPECT_EQ(narrow_shares(kFour, {{1}, {0}, {1}}, {}, 1), (Lists{"1", "0", "2"}));
}

// Their bindings say nothing, so each stays at the begin of its share.
TEST(NarrowShare, IsPartOfTheEqualShareWhereNobodyIsBound) {
  EXPECT_EQ(narrow_shares(kFour, {kAll, kAll}, {kAll, kAll}, 1), (Lists{"0", "2"}));
}

TEST(NarrowShare, TakesWholeCores) {
  EXPECT_EQ(narrow_shares(kFourOfTwo, {{4}, {1}}, {{2, 6}, {7}}, 1), (Lists{"0,4", "1,5"}));
}

}  // namespace
}  // namespace comity::context
