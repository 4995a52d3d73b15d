// SPDX-License-Identifier: BSD-3-Clause
// Deadlines at the ends of what 64 bits count: none wraps into the past.
#include "base/clock.hpp"

#include <gtest/gtest.h>

namespace comity {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kNow = 1'000'000'007;  // of a machine that started a second ago

TEST(Deadline, IsTheTimeoutFromNow) {
  EXPECT_EQ(deadline_after(1ns, kNow), kNow + 1);
  EXPECT_EQ(deadline_after(3ms, kNow), kNow + 3'000'000);
  EXPECT_EQ(deadline_after(24h, kNow), kNow + 86'400'000'000'000);
}

TEST(Deadline, IsNowWhereTheTimeoutHasPassed) {
  EXPECT_EQ(deadline_after(0ns, kNow), kNow);
  EXPECT_EQ(deadline_after(-1ns, kNow), kNow);
  EXPECT_EQ(deadline_after(Nanoseconds::min(), kNow), kNow);
  EXPECT_EQ(deadline_after(std::chrono::milliseconds::min(), kNow), kNow);
}

TEST(Deadline, IsNeverWhereTheClockEndsBeforeIt) {
  const Nanoseconds last(kNever - kNow);
  EXPECT_EQ(deadline_after(last - 1ns, kNow), kNever - 1);
  EXPECT_EQ(deadline_after(last, kNow), kNever);
  EXPECT_EQ(deadline_after(last + 1ns, kNow), kNever);
  EXPECT_EQ(deadline_after(Nanoseconds::max() - 1ns, kNow), kNever);
  EXPECT_EQ(deadline_after(Nanoseconds::max(), kNow), kNever);
  EXPECT_EQ(deadline_after(1ns, kNever), kNever);
}

// In nanoseconds these would wrap before anything is added.
TEST(Deadline, IsNeverForCoarserUnitsToo) {
  EXPECT_EQ(deadline_after(std::chrono::microseconds::max(), kNow), kNever);
  EXPECT_EQ(deadline_after(std::chrono::milliseconds::max(), kNow), kNever);
  EXPECT_EQ(deadline_after(std::chrono::duration<std::int64_t, std::ratio<3600>>::max(), kNow), kNever);
  const auto last_ms = std::chrono::floor<std::chrono::milliseconds>(Nanoseconds(kNever - kNow));
  EXPECT_EQ(deadline_after(last_ms, kNow), kNow + Nanoseconds(last_ms).count());
  EXPECT_EQ(deadline_after(last_ms + 1ms, kNow), kNever);
}

TEST(Deadline, CountsFromTheClockUnlessTold) {
  const std::int64_t before = now_ns();
  const std::int64_t deadline = deadline_after(1h);
  EXPECT_GE(deadline, deadline_after(1h, before));
  EXPECT_LE(deadline, deadline_after(1h, now_ns()));
}

}  // namespace
}  // namespace comity
