// SPDX-License-Identifier: BSD-3-Clause
// Where the members of a team go on machines with SMT: cores first, then siblings.
#include "context/threads/team.hpp"

#include <gtest/gtest.h>

#include "context/cores.hpp"
#include "machine/loader.hpp"

namespace comity::context {
namespace {

// 4 cores of 2 PUs: PU 2 i and 2 i + 1 are core i.
class Smt : public testing::Test {
 protected:
  [[nodiscard]] Team::Places places(int size, const CpuSet& mask) const {
    return places_for(size, mask, machine_.cores_first(mask), core_count(machine_, mask),
                      [&](std::size_t pu) { return machine_.siblings(pu); });
  }

  machine::Image image_ = machine::load_synthetic("package:1 core:4 pu:2");
  machine::Machine machine_{image_};
};

TEST_F(Smt, AsManyMembersAsCoresGetAWholeCoreEach) {
  EXPECT_EQ(places(4, CpuSet::first(8)), (Team::Places{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST_F(Smt, FewerMembersThanCoresGetTheFirstOnes) {
  EXPECT_EQ(places(2, CpuSet::first(8)), (Team::Places{{0, 1}, {2, 3}}));
}

TEST_F(Smt, MoreMembersThanCoresGetOnePUEachAndSiblingsLast) {
  EXPECT_EQ(places(8, CpuSet::first(8)), (Team::Places{{0}, {2}, {4}, {6}, {1}, {3}, {5}, {7}}));
}

TEST_F(Smt, AMemberGetsOnlyThePartOfItsCoreThatIsInTheMask) {
  EXPECT_EQ(places(2, CpuSet{1, 2, 3}), (Team::Places{{1}, {2, 3}}));
}

// Four cores of one PU each: where teams nest, the first members have the cores of their inner teams.
const Team::Places kFour{{0}, {1}, {2}, {3}};

TEST(Shares, AreAsLargeAsOneAnotherWhereTheyDivideTheCores) {
  EXPECT_EQ(with_shares(kFour, 2), (Team::Places{{0, 1}, {2, 3}, {2}, {3}}));
}

TEST(Shares, OfAllCoresAndOfOneCoreEach) {
  EXPECT_EQ(with_shares(kFour, 1), (Team::Places{{0, 1, 2, 3}, {1}, {2}, {3}}));
  EXPECT_EQ(with_shares(kFour, 4), kFour);
}

TEST(Shares, DifferByOneCoreAndHaveEachCoreOnceWhereTheyDoNotDivideThem) {
  EXPECT_EQ(with_shares(kFour, 3), (Team::Places{{0}, {1}, {2, 3}, {3}}));
  EXPECT_EQ(with_shares({{0}, {1}, {2}, {3}, {4}}, 2), (Team::Places{{0, 1}, {2, 3, 4}, {2}, {3}, {4}}));
}

TEST_F(Smt, AShareHasWholeCores) {
  EXPECT_EQ(with_shares(places(4, CpuSet::first(8)), 2), (Team::Places{{0, 1, 2, 3}, {4, 5, 6, 7}, {4, 5}, {6, 7}}));
}

}  // namespace
}  // namespace comity::context
