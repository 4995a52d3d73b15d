// SPDX-License-Identifier: BSD-3-Clause
// The fence of one thread that counts for another: of two that each write and then look, one sees the other, although only one
// of them makes a fence.
#include "os/threads/far_fence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/clock.hpp"

namespace comity::testing {
namespace {

constexpr int kMostRounds = 40'000;
constexpr Nanoseconds kTime =
    std::chrono::milliseconds(500);  // beside others, who take a processor away, there are fewer

struct alignas(64) Word {
  std::atomic<int> value{0};
};

// Both begin each round at the same moment, so that their writes wait in the processor while they look.
class Rounds {
 public:
  void begin(int round) {
    here_.fetch_add(1);
    for (int look = 0; here_.load() < 2 * round; ++look) {
      if (look > 1000) std::this_thread::yield();
    }
  }

 private:
  alignas(64) std::atomic<int> here_{0};
};

TEST(FarFence, CountsForWhoMakesNone) {
  if (!os::join_far_fences()) GTEST_SKIP() << "NOT TESTED: this kernel has no membarrier";
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "NOT TESTED: needs two processors";
  Rounds rounds;
  std::array<Word, 2> words;
  std::array<Word, 2> seen;
  std::atomic<bool> over{false};
  // One round of one of the two, whether or not it is the last one.
  const auto look = [&](std::size_t me, int round, bool last, auto&& fence) {
    rounds.begin(2 * round - 1);
    words[me].value.store(round, std::memory_order_relaxed);
    fence();
    seen[me].value.store(words[1 - me].value.load(std::memory_order_relaxed), std::memory_order_relaxed);
    if (last) over = true;
    rounds.begin(2 * round);
  };
  std::thread other([&] {
    for (int round = 1; !over; ++round)
      look(1, round, false, [] { std::atomic_signal_fence(std::memory_order_seq_cst); });
  });
  int missed = 0;
  const std::int64_t end_ns = deadline_after(kTime);
  for (int round = 1; !over; ++round) {
    look(0, round, round == kMostRounds || now_ns() > end_ns, os::far_fence);
    if (seen[0].value.load() < round && seen[1].value.load() < round) ++missed;
  }
  other.join();
  EXPECT_EQ(missed, 0) << "rounds in which neither saw the other";
}

}  // namespace
}  // namespace comity::testing
