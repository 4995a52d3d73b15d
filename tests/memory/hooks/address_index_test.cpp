// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/mapped/address_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "memory/hooks/mapped/free_places.hpp"

namespace comity::memory::hooks {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kAny = SIZE_MAX;

std::vector<std::size_t> near(const AddressIndex& index, std::uintptr_t start, std::uintptr_t end) {
  std::vector<std::size_t> found;
  EXPECT_TRUE(index.for_each_near(start, end, kAny, [&](std::size_t number) { found.push_back(number); }));
  return found;
}

struct Put {
  std::uintptr_t start;
  std::uint64_t bytes;
};

// As going over all would, whichever lengths there are, and whoever came and went before.
TEST(MemoryAddressIndex, FindsAllThatLieThere) {
  const auto index = std::make_unique<AddressIndex>();
  std::map<std::size_t, Put> expected;
  std::minstd_rand random(1);
  for (int step = 0; step < 60'000; ++step) {
    const std::size_t number = random() % 2000;
    if (const auto known = expected.find(number); known != expected.end()) {
      index->remove(known->second.start, known->second.bytes, number);
      expected.erase(known);
    } else {
      const std::uint64_t bytes = kPage + random() % (kPage << random() % 19);
      const Put put{0x7f0000000000U + random() % (std::uint64_t{1} << 33U), bytes};
      ASSERT_TRUE(index->insert(put.start, put.bytes, number));
      expected.emplace(number, put);
    }
    if (step % 50 != 0) continue;
    const std::uintptr_t start = 0x7f0000000000U + random() % (std::uint64_t{1} << 33U);
    const std::uintptr_t end = start + 1 + random() % (kPage << random() % 12);
    const std::vector<std::size_t> found = near(*index, start, end);
    for (const auto& [each, put] : expected) {
      if (put.start >= end || put.start + put.bytes <= start) continue;
      ASSERT_NE(std::find(found.begin(), found.end(), each), found.end()) << step;
    }
  }
}

// Each mmap and munmap went over all there were, twice.
TEST(MemoryAddressIndex, VisitsFewOfManyForOneOfThem) {
  const auto index = std::make_unique<AddressIndex>();
  constexpr std::size_t kMany = 10'000;
  for (std::size_t i = 0; i < kMany; ++i) ASSERT_TRUE(index->insert(0x7f0000000000U + i * 4 * kPage, 4 * kPage, i));
  std::size_t visited = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::uintptr_t start = 0x7f0000000000U + i * 4 * kPage;
    const std::vector<std::size_t> found = near(*index, start, start + 4 * kPage);
    EXPECT_NE(std::find(found.begin(), found.end(), i), found.end());
    visited += found.size();
  }
  EXPECT_LE(visited, 4 * kMany);
}

TEST(MemoryAddressIndex, SaysWhereGoingOverAllIsLess) {
  const auto index = std::make_unique<AddressIndex>();
  ASSERT_TRUE(index->insert(0x7f0000000000U, kPage, 0));
  const auto never = [](std::size_t /*number*/) { ADD_FAILURE(); };
  EXPECT_FALSE(index->for_each_near(0x7f0000000000U, 0x7f0000000000U + (std::uint64_t{1} << 30U), 1000, never));
}

// Side by side, and far from one another in steps of any power of two.
TEST(MemoryAddressIndex, HoldsAsManyAsThereAreNumbers) {
  for (const std::uintptr_t pages : {1U, 4U, 512U, 16'384U, 262'144U}) {
    const auto index = std::make_unique<AddressIndex>();
    for (std::size_t i = 0; i < AddressIndex::kMostNumbers; ++i)
      ASSERT_TRUE(index->insert(0x10000U + i * pages * kPage, kPage, i)) << pages << " pages, " << i;
  }
}

// Many begin in one bucket: more of them than it has room for are refused, and those that are there are found.
TEST(MemoryAddressIndex, SaysWhenItIsFullThere) {
  const auto index = std::make_unique<AddressIndex>();
  std::size_t inserted = 0;
  while (inserted < 1000 && index->insert(0x10000, kPage, inserted)) ++inserted;
  EXPECT_GE(inserted, 64U);
  EXPECT_LT(inserted, 1000U);
  EXPECT_EQ(near(*index, 0x10000, 0x10001).size(), inserted);
  index->remove(0x10000, kPage, 7);
  EXPECT_EQ(near(*index, 0x10000, 0x10001).size(), inserted - 1);
}

TEST(MemoryAddressIndex, LosesNothingOfManyThreads) {
  const auto index = std::make_unique<AddressIndex>();
  const auto places = std::make_unique<FreePlaces<4096>>();
  constexpr std::uintptr_t kThreads = 4;
  std::vector<std::jthread> threads;
  std::atomic<int> lost{0};
  for (std::uintptr_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uintptr_t i = 0; i < 20'000; ++i) {
        const std::uintptr_t start = 0x7f0000000000U + (thread + kThreads * (i % 500)) * kPage;
        const std::optional<std::size_t> number = places->take();
        if (!number || !index->insert(start, kPage, *number)) {
          lost.fetch_add(1);
          continue;
        }
        const std::vector<std::size_t> found = near(*index, start, start + kPage);
        if (std::find(found.begin(), found.end(), *number) == found.end()) lost.fetch_add(1);
        index->remove(start, kPage, *number);
        places->give_back(*number);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(lost.load(), 0);
  EXPECT_TRUE(near(*index, 0x7f0000000000U, 0x7f0000000000U + kThreads * 500 * kPage).empty());
}

TEST(MemoryFreePlaces, AreTakenOnceAndTheFirstOnesFirst) {
  FreePlaces<128> places;
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(places.take(), i);
  EXPECT_FALSE(places.take());
  places.give_back(100);
  places.give_back(3);
  EXPECT_EQ(places.take(), 3U);
  EXPECT_EQ(places.take(), 100U);
  EXPECT_FALSE(places.take());
}

}  // namespace
}  // namespace comity::memory::hooks
