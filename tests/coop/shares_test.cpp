// SPDX-License-Identifier: BSD-3-Clause
// Which cores are whose where teams crowd a node, and what those who wait leave to the others.
#include "coop/decision/shares.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace comity::testing {
namespace {

using coop::Neighbours;
using coop::RankFacts;

constexpr std::size_t kMany = 4;
const std::vector<std::size_t> kInOrder{0, 1, 2, 3};

CpuSet cpus(const char* list) { return CpuSet::parse_list(list); }

RankFacts free_rank(std::uint32_t threads, const char* reach = "0-3", const char* mask = nullptr) {
  return {.mask = cpus(mask == nullptr ? reach : mask), .reach = cpus(reach), .threads = threads, .is_free = 1};
}

std::vector<std::string> shares(const std::vector<RankFacts>& ranks, const std::vector<std::size_t>& order = kInOrder) {
  std::vector<std::string> lists;
  for (const CpuSet& share : coop::shares_of(ranks, order)) lists.push_back(share.to_list());
  return lists;
}

using Lists = std::vector<std::string>;

TEST(Shares, AreEqualPartsOfWhatAllReach) {
  EXPECT_EQ(shares({free_rank(4), free_rank(4)}), (Lists{"0-1", "2-3"}));
  EXPECT_EQ(shares(std::vector<RankFacts>(4, free_rank(2))), (Lists{"0", "1", "2", "3"}));
  EXPECT_EQ(shares({free_rank(2, "1,3"), free_rank(2, "1,3")}), (Lists{"1", "3"}));
}

TEST(Shares, HoldWhatIsNearInTheOrder) {
  EXPECT_EQ(shares({free_rank(4), free_rank(4)}, {0, 2, 1, 3}), (Lists{"0,2", "1,3"}));
}

// Where launchers have bound ranks each keeps, as far as that goes, the core that it was bound to.
TEST(Shares, FollowTheMasksOfRanks) {
  EXPECT_EQ(shares({free_rank(4, "0-3", "3"), free_rank(4, "0-3", "0")}), (Lists{"2-3", "0-1"}));
}

TEST(Shares, AreNoneWhereTheyWouldHelpNobody) {
  EXPECT_EQ(shares({free_rank(2), free_rank(2)}), Lists{}) << "each thread has a core";
  EXPECT_EQ(shares(std::vector<RankFacts>(8, free_rank(1))), Lists{}) << "no teams";
  EXPECT_EQ(shares({free_rank(8)}), Lists{}) << "there is nobody else";
}

TEST(Shares, AreNoneWhereRanksCannotBeEqual) {
  EXPECT_EQ(shares(std::vector<RankFacts>(3, free_rank(4))), Lists{}) << "four cores in three parts";
  EXPECT_EQ(shares(std::vector<RankFacts>(8, free_rank(2))), Lists{}) << "less than a core each";
  EXPECT_EQ(shares({free_rank(4), free_rank(2)}), Lists{}) << "teams differ";
  EXPECT_EQ(shares({free_rank(4), free_rank(4, "0-2")}), Lists{}) << "they reach different cores";
  RankFacts wants_a_place = free_rank(4);
  wants_a_place.is_free = 0;
  EXPECT_EQ(shares({free_rank(4), wants_a_place}), Lists{});
  EXPECT_EQ(shares({free_rank(4), free_rank(4)}, {0, 1, 2}), Lists{})
      << "the kernel tells less CPUs than the masks have";
}

// Each rank's share lies in its reach, none has what another has, and nothing is left over: for all that may be shared.
TEST(Shares, PartTheCoresForAllNumbersOfRanks) {
  std::vector<std::size_t> order(96);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i / 2 + (i % 2) * order.size() / 2;  // siblings far apart
  for (std::size_t ranks = 2; ranks <= order.size(); ++ranks) {
    const auto found = coop::shares_of(std::vector<RankFacts>(ranks, free_rank(96, "0-95")), order);
    ASSERT_EQ(found.size(), order.size() % ranks == 0 ? ranks : 0) << ranks;
    CpuSet all;
    for (const CpuSet& share : found) {
      EXPECT_EQ(share.count(), order.size() / ranks);
      EXPECT_FALSE(share.intersects(all));
      all |= share;
    }
    EXPECT_EQ(all.count(), found.empty() ? 0 : order.size());
  }
}

Neighbours with_shares(std::uint32_t threads, std::initializer_list<const char*> own = {"0", "1", "2", "3"}) {
  Neighbours all{.ranks = {}, .have_shares = true};
  for (const char* share : own) all.ranks.push_back({cpus(share), threads});
  return all;
}

struct Answer {
  std::string cores;
  bool suffices;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer room(std::size_t rank, const Neighbours& all, const std::set<std::size_t>& waiting) {
  const coop::Room room = coop::room_of(rank, all, [&](std::size_t other) { return waiting.contains(other); });
  return {room.cores.to_list(), room.suffices};
}

TEST(Room, IsARanksOwnWhileNobodyWaits) {
  for (std::size_t rank = 0; rank < kMany; ++rank) {
    EXPECT_EQ(room(rank, with_shares(2), {}), (Answer{std::to_string(rank), false}));
    EXPECT_EQ(room(rank, with_shares(1), {}), (Answer{std::to_string(rank), true}));
  }
}

TEST(Room, HasTheSharesOfThoseWhoWait) {
  EXPECT_EQ(room(0, with_shares(2), {3}), (Answer{"0,3", false})) << "the others have that core too";
  EXPECT_EQ(room(1, with_shares(2), {0, 2}), (Answer{"0-2", true})) << "4 threads of two ranks on 4 cores";
  EXPECT_EQ(room(1, with_shares(4), {0, 2, 3}), (Answer{"0-3", true}));
  EXPECT_EQ(room(1, with_shares(5), {0, 2, 3}), (Answer{"0-3", false}));
}

// It is not told to take more for itself, and does not compute.
TEST(Room, OfWhoWaitsIsCountedForTheOthers) {
  EXPECT_EQ(room(3, with_shares(2), {3}).cores, "3");
  EXPECT_EQ(room(3, with_shares(4), {0, 1, 2, 3}), (Answer{"0-3", true}));
}

TEST(Room, StaysWhereRanksHaveNoShares) {
  Neighbours all = with_shares(2, {"0-1", "0-1"});
  all.have_shares = false;
  EXPECT_EQ(room(0, all, {}), (Answer{"0-1", false}));
  EXPECT_EQ(room(0, all, {1}), (Answer{"0-1", true})) << "its threads alone are there then";
}

}  // namespace
}  // namespace comity::testing
