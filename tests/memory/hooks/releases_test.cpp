// SPDX-License-Identifier: BSD-3-Clause
// What is seen of ranges before they go. In a process of its own: looks that others have had made are paid for first.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "libraries.h"
#include "memory/hooks/since.hpp"

namespace comity::memory {
namespace {

constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;

std::int64_t most_of_alpha() { return static_cast<std::int64_t>(sum_of("alpha").most_resident); }

// A look may have come just before the last of them was touched.
TEST(MemoryReleases, AreSeenWhereTheyHaveAHundredthMoreThanWasSeen) {
  constexpr std::size_t kMuch = 32 * kMega;
  constexpr std::size_t kLittle = kMega / 2;
  void* const much = alpha_map(nullptr, kMuch, kPrivate, -1);
  touch(much, kMuch);
  look_now();
  void* const little = alpha_map(nullptr, kLittle, kPrivate, -1);
  touch(little, kLittle);
  EXPECT_EQ(munmap(little, kLittle), 0);
  EXPECT_EQ(munmap(much, kMuch), 0);
  EXPECT_EQ(most_of_alpha(), kMuch + kLittle);
}

// Each has more than any before: a look that is refused, as another thread is at one, would lose it.
TEST(MemoryReleases, AreSeenBeforeTheyGoWhileAnotherThreadLooks) {
  constexpr int kRounds = 20;
  std::atomic<int> round{0};
  std::thread other([&] {
    for (int seen = 0; seen < kRounds;) {
      if (round.load() == seen) {
        std::this_thread::yield();
        continue;
      }
      seen = round.load();
      (void)ledger().look(static_cast<int>(LedgerLook::now));
    }
  });
  int lost = 0;
  for (int i = 1; i <= kRounds; ++i) {
    const std::size_t bytes = (static_cast<std::size_t>(i) * 2 + 32) * kMega;
    void* const start = alpha_map(nullptr, bytes, kPrivate, -1);
    touch(start, bytes);
    round.store(i);
    EXPECT_EQ(munmap(start, bytes), 0);
    if (most_of_alpha() < static_cast<std::int64_t>(bytes)) ++lost;
  }
  other.join();
  EXPECT_LE(lost, kRounds / 4) << "a machine may stop the other thread for longer than anybody waits";
}

}  // namespace
}  // namespace comity::memory
