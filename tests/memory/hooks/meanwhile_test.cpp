// SPDX-License-Identifier: BSD-3-Clause
// What goes while another thread looks. In a process of its own: looks that others have had made are paid for first.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <thread>

#include "libraries.h"
#include "memory/hooks/since.hpp"

namespace comity::memory {
namespace {

// Each has more than any before: a look that is refused, as another thread is at one, would lose it.
TEST(MemoryMeanwhile, MappingsAreSeenBeforeTheyGo) {
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
    const std::size_t bytes = static_cast<std::size_t>(i) * 2 * kMega;
    void* const start = alpha_map(nullptr, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    touch(start, bytes);
    round.store(i);
    EXPECT_EQ(munmap(start, bytes), 0);
    if (sum_of("alpha").most_resident < static_cast<std::int64_t>(bytes)) ++lost;
  }
  other.join();
  EXPECT_LE(lost, kRounds / 4) << "a machine may stop the other thread for longer than anybody waits";
}

}  // namespace
}  // namespace comity::memory
