// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpu_time.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"

namespace comity::os {
namespace {

// It stands still between two ticks, so that it is behind by one at the most; a tick is never a second.
TEST(CoarseClock, IsBehindTheClockByLessThanASecondAndNeverAhead) {
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t before = now_ns();
    const std::int64_t coarse = coarse_now_ns();
    EXPECT_LE(coarse, now_ns());
    EXPECT_GT(coarse, before - kSecond_ns);
  }
}

TEST(CpuTime, OfAProcessHoldsThatOfItsThread) {
  const std::int64_t thread = thread_cpu_ns();
  EXPECT_GT(thread, 0);
  EXPECT_GE(process_cpu_ns(), thread);
}

}  // namespace
}  // namespace comity::os
