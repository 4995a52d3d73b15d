// SPDX-License-Identifier: BSD-3-Clause
#include "os/cpus/cpu_time.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/clock.hpp"
#include "os/threads/threads.hpp"

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

TEST(CpuTime, OfAnotherThreadIsWhatItSaysOfItself) {
  std::atomic<std::int64_t> said{0};
  std::atomic<bool> done{false};
  std::atomic<pid_t> id{0};
  std::thread worker([&] {
    id.store(this_thread());
    while (thread_cpu_ns() < 1'000'000) {
    }
    said.store(thread_cpu_ns());
    while (!done.load()) std::this_thread::yield();
  });
  while (said.load() == 0) std::this_thread::yield();
  EXPECT_GE(cpu_ns_of(id.load()), said.load());
  EXPECT_LE(cpu_ns_of(id.load()), process_cpu_ns());
  done.store(true);
  worker.join();
}

TEST(ThreadBegin, IsNoLaterThanTheThreadAndAfterItsMakers) {
  constexpr std::int64_t kTick_ns = 100'000'000;  // or less
  const auto maker = thread_begin_ns();
  ASSERT_TRUE(maker.has_value());
  EXPECT_GT(*maker, 0);
  const std::int64_t before = now_ns();
  std::thread([&] {
    EXPECT_LE(*thread_begin_ns(), now_ns());
    EXPECT_GE(*thread_begin_ns(), before - kTick_ns);
  }).join();
}

}  // namespace
}  // namespace comity::os
