// SPDX-License-Identifier: BSD-3-Clause
#include "node/harts/hart_table.hpp"

#include <gtest/gtest.h>

namespace comity::node {
namespace {

constexpr int kAnna = 0;
constexpr int kBert = 1;
constexpr int kCara = 2;
constexpr std::size_t kHart = 0;

class Harts : public ::testing::Test {
 protected:
  // Hart 0 is Anna's, hart 1 Bert's, hart 2 nobody's.
  Harts() : table_(words_) { table_.set_owners(std::vector<int>{kAnna, kBert, kNobody}); }

  void expect(std::size_t hart, HartState state, int owner, int holder, unsigned wanted = 0) const {
    const HartWord word = table_.word(hart);
    EXPECT_EQ(word.state(), state);
    EXPECT_EQ(word.owner(), owner);
    EXPECT_EQ(word.holder(), holder);
    EXPECT_EQ(word.wanted(), wanted);
  }
  void sleep(int who) {
    table_.owned_by(who).for_each([&](std::size_t hart) { table_.mark_idle(who, hart); });
  }
  void wake(int who) {
    table_.owned_by(who).for_each([&](std::size_t hart) { table_.mark_held(who, hart); });
  }

  std::vector<std::atomic<std::uint64_t>> words_ = std::vector<std::atomic<std::uint64_t>>(3);
  HartTable table_;
};

TEST(HartWordBits, EveryFieldKeepsToItsPlace) {
  const HartWord word =
      HartWord::owned_by(0x1234).with_wanted(0x56).with_state(HartState::contested).taken_over_by(0x789A);
  EXPECT_EQ(word.bits(), 0x0001'04'56'789A'1234U);
  EXPECT_EQ(word.owner(), 0x1234);
  EXPECT_EQ(word.holder(), 0x789A);
  EXPECT_EQ(word.wanted(), 0x56U);
  EXPECT_EQ(word.state(), HartState::contested);
  EXPECT_EQ(word.epoch(), 1U);
}

TEST(HartWordBits, NobodyIsToldFromParticipantZero) {
  EXPECT_EQ(HartWord::owned_by(kNobody).owner(), kNobody);
  EXPECT_EQ(HartWord::owned_by(0).owner(), 0);
}

TEST(HartWordBits, WantedStopsAtItsLargestValueAndTheEpochGoesRound) {
  EXPECT_EQ(HartWord().with_wanted(256).wanted(), 255U);
  HartWord word;
  for (int i = 0; i < 65536; ++i) word = word.taken_over_by(i % 7);
  EXPECT_EQ(word.epoch(), 0U);
  EXPECT_EQ(word.wanted(), 0U);
}

TEST_F(Harts, StartWithTheirOwners) {
  expect(0, HartState::held, kAnna, kAnna);
  expect(1, HartState::held, kBert, kBert);
  expect(2, HartState::free, kNobody, kNobody);
}

TEST_F(Harts, AnIdleHartIsLentAndComesBackIdle) {
  sleep(kAnna);
  expect(kHart, HartState::idle, kAnna, kAnna);
  EXPECT_EQ(table_.hold(kHart, kBert), HoldResult::taken);
  expect(kHart, HartState::lent, kAnna, kBert);
  table_.give_back(kHart, kBert);
  expect(kHart, HartState::idle, kAnna, kAnna);
  wake(kAnna);
  expect(kHart, HartState::held, kAnna, kAnna);
}

TEST_F(Harts, AnOwnerThatWakesAsksTheBorrowerToLeave) {
  sleep(kAnna);
  table_.hold(kHart, kBert);
  EXPECT_FALSE(table_.wanted(kHart));
  wake(kAnna);
  expect(kHart, HartState::contested, kAnna, kBert);
  EXPECT_TRUE(table_.wanted(kHart));
  table_.give_back(kHart, kBert);
  expect(kHart, HartState::held, kAnna, kAnna);
}

TEST_F(Harts, AnOwnerMaySleepAgainWhileItsHartIsLent) {
  sleep(kAnna);
  table_.hold(kHart, kBert);
  wake(kAnna);
  sleep(kAnna);
  expect(kHart, HartState::lent, kAnna, kBert);
}

TEST_F(Harts, AHeldHartIsOnlyWanted) {
  EXPECT_EQ(table_.hold(kHart, kBert), HoldResult::wanted);
  expect(kHart, HartState::held, kAnna, kAnna, 1);
  EXPECT_TRUE(table_.wanted(kHart));
  table_.withdraw(kHart);
  EXPECT_FALSE(table_.wanted(kHart));
  table_.withdraw(kHart);
  expect(kHart, HartState::held, kAnna, kAnna, 0);
}

TEST_F(Harts, AHartThatTwoAskForIsStillWantedWhenOneOfThemWithdraws) {
  EXPECT_EQ(table_.hold(kHart, kBert), HoldResult::wanted);
  EXPECT_EQ(table_.hold(kHart, kCara), HoldResult::wanted);
  expect(kHart, HartState::held, kAnna, kAnna, 2);
  table_.withdraw(kHart);
  expect(kHart, HartState::held, kAnna, kAnna, 1);
  EXPECT_TRUE(table_.wanted(kHart));
  table_.withdraw(kHart);
  expect(kHart, HartState::held, kAnna, kAnna, 0);
  EXPECT_FALSE(table_.wanted(kHart));
}

TEST_F(Harts, OneThatNobodyOwnsIsTakenAndFreedAgain) {
  EXPECT_EQ(table_.hold(2, kBert), HoldResult::taken);
  expect(2, HartState::lent, kNobody, kBert);
  table_.give_back(2, kBert);
  expect(2, HartState::free, kNobody, kNobody);
}

TEST_F(Harts, HoldingTwiceChangesNothing) {
  sleep(kAnna);
  table_.hold(kHart, kBert);
  const auto before = table_.word(kHart);
  EXPECT_EQ(table_.hold(kHart, kBert), HoldResult::taken);
  EXPECT_EQ(table_.word(kHart), before);
}

TEST_F(Harts, ALateReturnDoesNotDisturbTheNextHolder) {
  table_.hold(2, kBert);
  table_.give_back(2, kBert);
  table_.hold(2, kAnna);
  table_.give_back(2, kBert);
  expect(2, HartState::lent, kNobody, kAnna);
}

TEST_F(Harts, EachTakeoverMovesTheEpoch) {
  sleep(kAnna);
  EXPECT_EQ(table_.word(kHart).epoch(), 0U);
  table_.hold(kHart, kBert);
  EXPECT_EQ(table_.word(kHart).epoch(), 1U);
  table_.give_back(kHart, kBert);
  EXPECT_EQ(table_.word(kHart).epoch(), 2U);
}

TEST_F(Harts, OfADeadOwnerAreFree) {
  table_.hold(kHart, kBert);
  table_.drop_dead(kAnna);
  expect(kHart, HartState::free, kNobody, kNobody);
  EXPECT_EQ(table_.hold(kHart, kBert), HoldResult::taken);
}

TEST_F(Harts, OfADeadBorrowerGoBackToTheirOwner) {
  sleep(kAnna);
  table_.hold(kHart, kBert);
  table_.drop_dead(kBert);
  expect(kHart, HartState::idle, kAnna, kAnna);
  expect(1, HartState::free, kNobody, kNobody);
}

TEST_F(Harts, OfADeadOwnerStayWithALivingBorrower) {
  sleep(kAnna);
  table_.hold(kHart, kBert);
  table_.drop_dead(kAnna);
  expect(kHart, HartState::lent, kNobody, kBert);
  table_.give_back(kHart, kBert);
  expect(kHart, HartState::free, kNobody, kNobody);
}

// The owner was awake again and wanted it back; now nobody does.
TEST_F(Harts, OfADeadOwnerThatWantedItBackStayWithTheBorrowerInPeace) {
  sleep(kAnna);
  table_.hold(kHart, kBert);
  wake(kAnna);
  ASSERT_TRUE(table_.wanted(kHart));
  table_.drop_dead(kAnna);
  expect(kHart, HartState::lent, kNobody, kBert);
  EXPECT_FALSE(table_.wanted(kHart));
  table_.give_back(kHart, kBert);
  expect(kHart, HartState::free, kNobody, kNobody);
}

TEST_F(Harts, DroppingADeadRankTwiceIsDroppingItOnce) {
  table_.drop_dead(kAnna);
  const auto before = table_.word(kHart);
  table_.drop_dead(kAnna);
  EXPECT_EQ(table_.word(kHart), before);
}

struct Deal {
  const char* name;
  std::vector<CpuSet> masks;
  std::size_t harts;
  std::vector<int> owners;
};

class DealOwners : public ::testing::TestWithParam<Deal> {};
INSTANTIATE_TEST_SUITE_P(Table, DealOwners,
                         ::testing::Values(Deal{"BoundApart", {{0, 1}, {2, 3}}, 4, {0, 0, 1, 1}},
                                           Deal{"UnboundShareEvenly", {{0, 1, 2, 3}, {0, 1, 2, 3}}, 4, {0, 1, 0, 1}},
                                           Deal{"OneWideOneNarrow", {{0, 1, 2}, {0}}, 3, {0, 0, 0}},
                                           Deal{"FewestSoFarTakesTheOverlap", {{0, 1}, {1, 2}}, 3, {0, 1, 1}},
                                           Deal{"MoreRanksThanHarts", {{0, 1}, {0, 1}, {0, 1}}, 2, {0, 1}},
                                           Deal{"Uncovered", {{1}}, 3, {kNobody, 0, kNobody}},
                                           Deal{"MaskBeyondTheTable", {{0, 9}}, 2, {0, kNobody}},
                                           Deal{"NoRanks", {}, 2, {kNobody, kNobody}}, Deal{"NoHarts", {{0}}, 0, {}}),
                         [](const auto& one) { return one.param.name; });

TEST_P(DealOwners, GivesEachHartToTheContenderThatOwnsFewest) {
  EXPECT_EQ(deal_owners(GetParam().masks, GetParam().harts), GetParam().owners);
}

}  // namespace
}  // namespace comity::node
