// SPDX-License-Identifier: BSD-3-Clause
// The table of requests: each is found once, by whoever completes it, with what was known of it. Several threads at once
// make requests and complete each other's.
#include "interpose/requests/request_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace comity::interpose {
namespace {

constexpr RequestKey key_of(std::size_t number) {
  return 0x7f0000000000U + 64 * (number + 1);
}  // as addresses of objects are

void add(RequestTable& table, RequestKey key, std::uint64_t bytes, Threads threads) {
  const Held held = table.add(key, threads);
  ASSERT_TRUE(held);
  held.followed().bytes = bytes;
  held.put_back();
}

struct EndTable {
  void operator()(RequestTable* table) const {
    table->end();
    delete table;
  }
};
using OwnTable = std::unique_ptr<RequestTable, EndTable>;

class RequestTableOf : public ::testing::TestWithParam<Threads> {
 protected:
  OwnTable table_{new RequestTable};
};

TEST_P(RequestTableOf, FindsNothingWhereNothingIs) {
  EXPECT_FALSE(table_->take(key_of(1), GetParam()));
  add(*table_, key_of(1), 1, GetParam());
  EXPECT_FALSE(table_->take(key_of(2), GetParam()));
}

TEST_P(RequestTableOf, FindsWhatIsHeldOnlyAfterItIsPutBack) {
  add(*table_, key_of(1), 7, GetParam());
  const Held held = table_->take(key_of(1), GetParam());
  ASSERT_TRUE(held);
  EXPECT_EQ(held.followed().bytes, 7U);
  EXPECT_EQ(held.key(), key_of(1));
  EXPECT_FALSE(table_->take(key_of(1), GetParam()));
  held.put_back();
  const Held again = table_->take(key_of(1), GetParam());
  ASSERT_TRUE(again);
  again.clear();
  EXPECT_FALSE(table_->take(key_of(1), GetParam()));
}

// While a call completes a request, another thread may get its handle for a new one.
TEST_P(RequestTableOf, KeepsAHandleThatComesBackApartFromTheOneThatIsHeld) {
  add(*table_, key_of(1), 1, GetParam());
  const Held old = table_->take(key_of(1), GetParam());
  add(*table_, key_of(1), 2, GetParam());
  old.clear();
  const Held young = table_->take(key_of(1), GetParam());
  ASSERT_TRUE(young);
  EXPECT_EQ(young.followed().bytes, 2U);
}

TEST_P(RequestTableOf, HoldsMoreThanItBeganWith) {
  constexpr std::size_t kMany = 20'000;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < kMany; ++i) add(*table_, key_of(i), i, GetParam());
    for (std::size_t i = kMany; i-- > 0;) {
      const Held held = table_->take(key_of(i), GetParam());
      ASSERT_TRUE(held) << "request " << i;
      ASSERT_EQ(held.followed().bytes, i);
      held.clear();
    }
    for (std::size_t i = 0; i < kMany; ++i) ASSERT_FALSE(table_->take(key_of(i), GetParam())) << "request " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(RequestTable, RequestTableOf, ::testing::Values(Threads::one, Threads::several),
                         [](const auto& with) { return with.param == Threads::one ? "OneThread" : "SeveralThreads"; });

// Has its place in the line of the first key.
constexpr RequestKey kSameLine = key_of(0) + 144;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kRounds = 300;
constexpr std::size_t kEach = 100;

// Each thread makes requests, and looks for its neighbour's until it has found them all.
void make_and_complete(RequestTable& table, std::size_t me, std::vector<int>& wrong) {
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::size_t mine = (round * kThreads + me) * kEach;
    const std::size_t others = (round * kThreads + (me + 1) % kThreads) * kEach;
    for (std::size_t i = 0; i < kEach; ++i) add(table, key_of(mine + i), mine + i, Threads::several);
    for (std::size_t i = 0; i < kEach; ++i) {
      Held held = kNothingHeld;
      while (!held) {
        held = table.take(key_of(others + i), Threads::several);
        if (!held) std::this_thread::yield();
      }
      if (held.followed().bytes != others + i || held.key() != key_of(others + i)) ++wrong[me];
      held.clear();
    }
  }
}

TEST(RequestTable, GivesEachRequestOfSeveralThreadsToWhoCompletesIt) {
  const OwnTable table(new RequestTable);
  std::vector<int> wrong(kThreads);
  std::array<std::thread, kThreads> threads;
  for (std::size_t i = 0; i < kThreads; ++i) threads[i] = std::thread([&, i] { make_and_complete(*table, i, wrong); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads));
}

// Of two who look for the same request at once one has it.
TEST(RequestTable, GivesARequestToOneOnly) {
  const OwnTable table(new RequestTable);
  add(*table, key_of(0), 0, Threads::several);
  std::atomic<int> holders{0};
  std::atomic<int> shared{0};
  const auto take_and_put_back = [&] {
    for (int i = 0; i < 1'000'000; ++i) {
      const Held held = table->take(key_of(0), Threads::several);
      if (!held) continue;
      if (holders.fetch_add(1) != 0) ++shared;
      holders.fetch_sub(1);
      held.put_back();
    }
  };
  std::thread other(take_and_put_back);
  take_and_put_back();
  other.join();
  EXPECT_EQ(shared, 0);
}

// Of two who look for room at once each finds its own.
TEST(RequestTable, GivesAPlaceToOneOnly) {
  const OwnTable table(new RequestTable);
  std::atomic<int> lost{0};
  const auto add_and_take = [&](RequestKey key) {
    for (int i = 0; i < 1'000'000; ++i) {
      const Held added = table->add(key, Threads::several);
      added.followed().bytes = key;
      added.put_back();
      const Held held = table->take(key, Threads::several);
      if (!held || held.followed().bytes != key) ++lost;
      if (held) held.clear();
    }
  };
  std::thread other([&] { add_and_take(key_of(0)); });
  add_and_take(kSameLine);
  other.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace comity::interpose
