// SPDX-License-Identifier: BSD-3-Clause
#include "context/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace comity::context {
namespace {

const std::vector<CpuSet> kTwoCores{{0}, {1}};
const std::vector<CpuSet> kFourCores{{0}, {1}, {2}, {3}};

std::vector<int> selected(const std::vector<Assignment>& rows) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    if (rows[rank].selected) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

std::vector<int> select(Rule rule, const std::vector<CpuSet>& objects, const std::vector<CpuSet>& masks, int max_per) {
  return selected(distribute(objects, masks, max_per, rule));
}

using Ranks = std::vector<int>;

TEST(Fill, OneBoundAndOneUnboundRankFillBothCores) {
  EXPECT_EQ(select(Rule::fill, kTwoCores, {{0}, {0, 1}}, 1), (Ranks{0, 1}));
}

TEST(Fill, BoundRanksComeFirst) { EXPECT_EQ(select(Rule::fill, kTwoCores, {{0, 1}, {0}, {1}}, 1), (Ranks{1, 2})); }

TEST(Fill, NeverMoreThanMaxPerObject) { EXPECT_EQ(select(Rule::fill, kTwoCores, {{0}, {0}, {0}}, 2), (Ranks{0, 1})); }

TEST(Fill, UnboundRanksFillWhatBoundOnesLeave) {
  EXPECT_EQ(select(Rule::fill, kTwoCores, {{0, 1}, {0, 1}, {0, 1}}, 1), (Ranks{0, 1}));
  EXPECT_EQ(select(Rule::fill, kFourCores, {{0, 1, 2, 3}, {2}}, 1), (Ranks{0, 1}));
}

TEST(Fill, AnEarlierRankMovesAsideSoThatNoObjectStaysEmpty) {
  // Rank 0 would take core 0, which rank 1 needs more.
  const auto rows = distribute(kFourCores, std::vector<CpuSet>{{0, 2}, {0, 1}, {0, 1}}, 1, Rule::fill);
  EXPECT_EQ(selected(rows), (Ranks{0, 1, 2}));
  EXPECT_EQ(rows[0].object, 2);
}

TEST(Fill, ARankOutsideEveryObjectIsNotSelected) {
  EXPECT_EQ(select(Rule::fill, kTwoCores, {{7}, {0}}, 1), (Ranks{1}));
}

TEST(AlgorithmOne, WhenAllOverlapTheFirstAreTaken) {
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0, 1}, {0, 1}, {0, 1}}, 1), (Ranks{0, 1}));
}

TEST(AlgorithmOne, ARankThatTouchesAllIsPassedOverButKeepsItsPlaceInTheOrder) {
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0, 1}, {0}, {1}}, 1), Ranks{});
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0, 1}, {0}, {1}}, 2), (Ranks{1, 2}));
}

TEST(AlgorithmOne, DisjointRanksAreTakenInOrder) {
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0}, {0}, {1}, {1}}, 1), (Ranks{0, 2}));
}

TEST(AlgorithmOne, OneObjectOverlapsForAll) {
  EXPECT_EQ(select(Rule::algorithm_1, {{0, 1}}, {{0}, {1}, {0, 1}}, 2), (Ranks{0, 1}));
}

TEST(Leaders, ARestingRankIsServedByASelectedOneOfItsObject) {
  const auto rows = distribute(kTwoCores, std::vector<CpuSet>{{0}, {0}, {1}, {1}}, 1, Rule::fill);
  EXPECT_EQ(rows[1].leader, 0);
  EXPECT_EQ(rows[3].leader, 2);
  EXPECT_EQ(rows[3].share, 1);
  EXPECT_EQ(rows[2].share_count, 2);
}

TEST(Leaders, NobodyLeadsWhereNobodyIsSelected) {
  const auto rows = distribute(kTwoCores, std::vector<CpuSet>{{5}, {6}}, 1, Rule::fill);
  EXPECT_EQ(rows[0].leader, kNobody);
  EXPECT_EQ(rows[0].share_count, 0);
}

// Every combination of masks of up to 4 ranks on 3 cores: properties that hold whatever the algorithm.
class AllMasks : public testing::TestWithParam<int> {};

int most_that_fit(const std::vector<CpuSet>& objects, const std::vector<CpuSet>& masks, std::size_t rank,
                  std::vector<int>& room) {
  if (rank == masks.size()) return 0;
  int best = most_that_fit(objects, masks, rank + 1, room);
  for (std::size_t object = 0; object < objects.size(); ++object) {
    if (room[object] == 0 || !masks[rank].intersects(objects[object])) continue;
    --room[object];
    best = std::max(best, 1 + most_that_fit(objects, masks, rank + 1, room));
    ++room[object];
  }
  return best;
}

TEST_P(AllMasks, FillSeatsAsManyAsFitAndNeverTooManyOnOneObject) {
  const int ranks = GetParam();
  const std::vector<CpuSet> objects{{0}, {1}, {2}};
  int combinations = 1;
  for (int i = 0; i < ranks; ++i) combinations *= 7;
  for (int code = 0; code < combinations; ++code) {
    std::vector<CpuSet> masks;
    for (int i = 0, rest = code; i < ranks; ++i, rest /= 7) {
      CpuSet mask;
      mask.words()[0] = static_cast<std::uint64_t>(rest % 7 + 1);
      masks.push_back(mask);
    }
    for (int max_per = 1; max_per <= 2; ++max_per) {
      const auto rows = distribute(objects, masks, max_per, Rule::fill);
      std::vector<int> load(3, 0);
      int followers = 0;
      for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        ASSERT_NE(rows[rank].leader, kNobody);
        ASSERT_TRUE(rows[static_cast<std::size_t>(rows[rank].leader)].selected);
        if (rows[rank].selected) {
          ASSERT_TRUE(masks[rank].contains(static_cast<std::size_t>(rows[rank].object)));
          ++load[static_cast<std::size_t>(rows[rank].object)];
          followers += rows[rank].share_count;
        }
      }
      ASSERT_EQ(followers, ranks);
      ASSERT_LE(*std::max_element(load.begin(), load.end()), max_per);
      std::vector<int> room(3, max_per);
      ASSERT_EQ(load[0] + load[1] + load[2], most_that_fit(objects, masks, 0, room)) << "code " << code;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(UpToFourRanks, AllMasks, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace comity::context
