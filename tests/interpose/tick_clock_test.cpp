// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/tick_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include "base/clock.hpp"

namespace comity::interpose {
namespace {

using namespace std::chrono_literals;

// How far the ticks are from the clock that was read before and after them, 0 where they lie between. The best of
// some: the kernel may take the core away between two readings.
std::int64_t distance() {
  std::int64_t best = INT64_MAX;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t before = now_ns();
    const std::int64_t told = TickClock::now_ns();
    const std::int64_t after = now_ns();
    best = std::min(best, told < before ? before - told : std::max<std::int64_t>(0, told - after));
  }
  return best;
}

TEST(TickClock, TellsTheTimeOfTheClock) {
  for (int i = 0; i < 60; ++i) {  // before its pace is known, and over several readings of the clock
    EXPECT_LT(distance(), 50'000) << "[ns] after " << i << " rounds";
    std::this_thread::sleep_for(2ms);
  }
}

TEST(TickClock, DoesNotGoBack) {
  const std::int64_t end = now_ns() + 60'000'000;
  std::int64_t last = TickClock::now_ns();
  std::int64_t back = 0;
  for (std::int64_t now = last; now < end; last = now) {
    now = TickClock::now_ns();
    back = std::max(back, last - now);
  }
  EXPECT_EQ(back, 0) << "[ns]";
}

TEST(TickClock, IsOnTimeOnEachThreadAndAfterAPause) {
  (void)TickClock::now_ns();
  std::this_thread::sleep_for(150ms);
  EXPECT_LT(distance(), 50'000);
  std::array<std::int64_t, 4> distances{};
  std::array<std::thread, 4> threads;
  for (std::size_t i = 0; i < threads.size(); ++i) threads[i] = std::thread([&, i] { distances[i] = distance(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::int64_t ns : distances) EXPECT_LT(ns, 50'000);
}

}  // namespace
}  // namespace comity::interpose
