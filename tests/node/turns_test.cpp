// SPDX-License-Identifier: BSD-3-Clause
#include "node/turns.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace comity::node {
namespace {

using Words = std::array<std::atomic<std::uint64_t>, 2>;
using Of = Turns::Of;

TEST(Turns, TellWhoHasComeToMine) {
  Words words{};
  Turns mine(words, 0);
  Turns other(words, 1);
  EXPECT_TRUE(mine.has_come(1)) << "to none yet";
  mine.come(Of::some);
  EXPECT_EQ(mine.turn(), 1U);
  EXPECT_FALSE(mine.has_come(1));
  EXPECT_TRUE(other.has_come(0)) << "further than it";
  other.come(Of::some);
  other.come(Of::some);
  EXPECT_TRUE(mine.has_come(1));
  EXPECT_FALSE(other.has_come(0));
}

TEST(Turns, TellWhatAMemberSleepsFor) {
  Words words{};
  Turns mine(words, 0);
  const Turns other(words, 1);
  mine.come(Of::some);
  for (const SleepsFor what :
       {SleepsFor::the_last(), SleepsFor::a_step(), SleepsFor::member(0), SleepsFor::member(7)}) {
    mine.sleep_for(what);
    EXPECT_EQ(other.of(0).turn, 1U);
    EXPECT_EQ(other.of(0).sleeps_for, what);
    EXPECT_EQ(mine.of(1).sleeps_for, SleepsFor::nothing());
  }
  mine.awake();
  EXPECT_EQ(other.of(0).sleeps_for, SleepsFor::nothing());
  mine.sleep_for(SleepsFor::the_last());
  mine.come(Of::some);
  EXPECT_EQ(other.of(0).sleeps_for, SleepsFor::nothing()) << "it is awake in its next turn";
}

// One has counted calls that the other one was refused, or has not made.
TEST(Turns, OfAllAreTheSameHoweverManyOfSomeWereCounted) {
  Words words{};
  Turns mine(words, 0);
  Turns other(words, 1);
  for (int turn = 0; turn < 3; ++turn) {
    mine.come(Of::all);
    EXPECT_FALSE(mine.has_come(1));
    other.come(Of::all);
    EXPECT_EQ(other.turn(), mine.turn());
    for (int some = 0; some < 10; ++some) other.come(Of::some);
    EXPECT_TRUE(mine.has_come(1));
    mine.come(Of::some);
    EXPECT_FALSE(other.has_come(0)) << "not so far";
  }
}

TEST(Turns, OfSomeAreNoTurnOfAllHoweverMany) {
  Words words{};
  Turns mine(words, 0);
  Turns other(words, 1);
  for (int some = 0; some < 10'000; ++some) other.come(Of::some);
  mine.come(Of::all);
  EXPECT_FALSE(mine.has_come(1));
  other.come(Of::all);
  EXPECT_TRUE(mine.has_come(1));
  EXPECT_EQ(other.turn(), mine.turn());
}

TEST(Turns, ThatAreTakenBackWereNone) {
  Words words{};
  Turns mine(words, 0);
  Turns other(words, 1);
  mine.come(Of::all);
  const std::uint32_t before = mine.turn();
  for (const Of whom : {Of::all, Of::some}) {
    mine.pass(whom);
    EXPECT_FALSE(mine.has_told());
    mine.take_back();
    EXPECT_TRUE(mine.has_told());
    EXPECT_EQ(mine.turn(), before);
    mine.come(whom);
    EXPECT_NE(other.of(0).turn, before);
    mine.take_back();
    EXPECT_EQ(other.of(0).turn, before);
  }
}

TEST(Turns, InDoubtAreSeenWhenTheyAreTold) {
  Words words{};
  Turns mine(words, 0);
  const Turns other(words, 1);
  mine.come(Of::all);
  const std::uint32_t before = mine.turn();
  for (const bool is_none : {true, false}) {
    mine.pass(Of::all);
    mine.doubt();
    EXPECT_FALSE(mine.has_told());
    EXPECT_EQ(other.of(0).turn, before);
    EXPECT_EQ(other.of(0).sleeps_for, SleepsFor::in_doubt());
    if (is_none) {
      mine.take_back();
    } else {
      mine.sleep_for(SleepsFor::nothing());
    }
    EXPECT_EQ(other.of(0).turn, mine.turn());
    EXPECT_EQ(other.of(0).sleeps_for, SleepsFor::nothing());
  }
  EXPECT_NE(mine.turn(), before);
}

TEST(Turns, ThatArePassedAreToldBeforeASleep) {
  Words words{};
  Turns mine(words, 0);
  Turns other(words, 1);
  mine.come(Of::some, SleepsFor::nothing_soon());
  other.come(Of::some);
  EXPECT_EQ(other.of(0).sleeps_for, SleepsFor::nothing_soon());
  mine.pass(Of::some);
  mine.pass(Of::some);
  EXPECT_EQ(mine.turn(), 3U);
  EXPECT_EQ(other.of(0).turn, 1U) << "nobody sees it";
  EXPECT_FALSE(mine.has_come(1));
  other.come(Of::some);
  EXPECT_FALSE(other.has_come(0));
  mine.sleep_for(SleepsFor::a_step());
  EXPECT_EQ(other.of(0).turn, 3U);
  EXPECT_TRUE(other.has_come(0));
}

TEST(Turns, EachIsWhatItSays) {
  EXPECT_NE(SleepsFor::member(0), SleepsFor::member(1));
  for (const SleepsFor what :
       {SleepsFor::nothing(), SleepsFor::nothing_soon(), SleepsFor::the_last(), SleepsFor::a_step()}) {
    EXPECT_NE(SleepsFor::member(0), what);
  }
}

// Of two that come at once one sees the other: else both would sleep, and nobody would ring.
TEST(Turns, WhoComesLastSeesTheOther) {
  constexpr int kTimes = 20000;
  Words words{};
  std::array<std::atomic<int>, kTimes> seen{};
  const auto come_often = [&](int rank) {
    Turns turns(words, rank);
    for (std::atomic<int>& time : seen) {
      turns.come(Of::some);
      if (turns.has_come(1 - rank)) time.fetch_add(1);
      while (!turns.has_come(1 - rank)) std::this_thread::yield();
    }
  };
  std::thread other(come_often, 1);
  come_often(0);
  other.join();
  for (const std::atomic<int>& time : seen) EXPECT_GE(time.load(), 1);
}

}  // namespace
}  // namespace comity::node
