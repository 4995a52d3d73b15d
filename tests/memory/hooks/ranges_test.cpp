// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/ranges.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace comity::memory::hooks {
namespace {

// As a map would, until places are scarce: then it says so.
TEST(MemoryRanges, HoldWhatWasPutIn) {
  const auto table = std::make_unique<BlockTable>();
  std::map<std::uintptr_t, Range> expected;
  std::minstd_rand random(1);
  for (int step = 0; step < 200'000; ++step) {
    const std::uintptr_t start = 0x7f0000000010U + (random() % 20'000) * 0x21000U;
    const auto known = expected.find(start);
    if (known == expected.end()) {
      const Range range{start,
                        65'536 + random() % 1000,
                        random() % 1000,
                        Component(random() % 20),
                        random() % 2 == 0,
                        SiteNumber(random() % kMostSites)};
      const bool inserted = table->insert(range);
      if (expected.size() < BlockTable::kPlaces / 4) {
        ASSERT_TRUE(inserted);
      }
      if (inserted) expected[start] = range;
      continue;
    }
    RangePlace* const place = table->find(start);
    ASSERT_NE(place, nullptr);
    const std::optional<Range> range = table->give_back(*place, start);
    ASSERT_TRUE(range);
    EXPECT_EQ(range->start, start);
    EXPECT_EQ(range->bytes, known->second.bytes);
    EXPECT_EQ(range->seen_bytes, known->second.seen_bytes);
    EXPECT_EQ(range->component, known->second.component);
    EXPECT_EQ(range->is_shared, known->second.is_shared);
    EXPECT_EQ(range->site, known->second.site);
    EXPECT_EQ(table->find(start), nullptr);
    expected.erase(known);
  }
  std::size_t found = 0;
  table->for_each([&](const RangePlace& place) {
    const std::optional<Range> range = place.read();
    ASSERT_TRUE(range);
    EXPECT_EQ(expected.count(range->start), 1U);
    ++found;
  });
  EXPECT_EQ(found, expected.size());
}

TEST(MemoryRanges, SayWhenTheyAreFull) {
  const auto table = std::make_unique<BlockTable>();
  std::size_t inserted = 0;
  for (std::size_t i = 1; i <= 2 * BlockTable::kPlaces; ++i)
    inserted += table->insert({i << 16U, 1, 0, {}, false, 0}) ? 1 : 0;
  EXPECT_LE(inserted, BlockTable::kPlaces);
  EXPECT_GE(inserted, BlockTable::kPlaces / 2);
}

// A look that comes too late leaves nothing behind: not with the range that has gone, nor with the one that came.
TEST(MemoryRanges, KeepWhatWasSeenWithItsRange) {
  RangePlace place;
  ASSERT_TRUE(place.try_to_take({0x10000, 4096, 0, Component::mpi, false, 0}));
  EXPECT_EQ(place.set_seen(0x10000, 3000), 3000);
  EXPECT_EQ(place.set_seen(0x10000, 1000), -2000);
  EXPECT_EQ(place.give_back(0x10000)->seen_bytes, 1000U);
  EXPECT_EQ(place.set_seen(0x10000, 500), 0);
  ASSERT_TRUE(place.try_to_take({0x20000, 4096, 70, Component::mpi, false, 0}));
  EXPECT_EQ(place.set_seen(0x10000, 500), 0);
  EXPECT_EQ(place.read()->seen_bytes, 70U);
}

TEST(MemoryRanges, GoOnceWhoeverElseWantsThemGone) {
  RangePlace place;
  ASSERT_TRUE(place.try_to_take({0x10000, 4096, 0, Component::mpi, false, 0}));
  EXPECT_FALSE(place.give_back(0x20000));
  EXPECT_TRUE(place.give_back(0x10000));
  EXPECT_FALSE(place.give_back(0x10000));
}

}  // namespace
}  // namespace comity::memory::hooks
