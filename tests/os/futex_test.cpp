// SPDX-License-Identifier: BSD-3-Clause
// How a sleep on a word ends, and that the longest timeouts are none.
#include "os/threads/futex.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace comity::os {
namespace {

using namespace std::chrono_literals;

TEST(Futex, SleepsForNoTimeWhereTheWordHasChangedOrTheTimeoutHasPassed) {
  const std::atomic<std::uint32_t> word{7};
  EXPECT_EQ(futex_wait(word, 8, 1h), FutexEnd::changed);
  EXPECT_EQ(futex_wait(word, 7, 0ns), FutexEnd::timed_out);
  EXPECT_EQ(futex_wait(word, 7, Nanoseconds::min()), FutexEnd::timed_out);
  EXPECT_EQ(futex_wait_until(word, 7, -1), FutexEnd::timed_out);
}

// The word stays as it is, so only the other thread's wake-up can end the sleep: the deadline is beyond the clock.
TEST(Futex, SleepsOnWithATimeoutAtTheEndOfTheRange) {
  for (const Nanoseconds timeout : {Nanoseconds::max(), Nanoseconds::max() - 1ns, Nanoseconds(kNever - now_ns())}) {
    const std::atomic<std::uint32_t> word{7};
    std::atomic<bool> done{false};
    std::thread waker([&] {
      while (!done.load()) {
        futex_wake(word);
        std::this_thread::yield();
      }
    });
    const FutexEnd end = futex_wait(word, 7, timeout);
    done.store(true);
    waker.join();
    EXPECT_EQ(end, FutexEnd::woken) << timeout.count();
  }
}

}  // namespace
}  // namespace comity::os
