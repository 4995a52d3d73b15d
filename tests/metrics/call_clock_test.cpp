// SPDX-License-Identifier: BSD-3-Clause
// Processor time inside MPI: of threads that spin there, that sleep there, and that compute between calls.
#include "metrics/rank/call_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "base/clock.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::metrics {
namespace {

constexpr std::int64_t kMillisecond_ns = 1'000'000;

TEST(ProcessorTimeInsideMpi, IsWhatDoesNotFitOutside) {
  EXPECT_EQ(processor_ns_inside(100, 100, 100), 100) << "spun all the time";
  EXPECT_EQ(processor_ns_inside(0, 100, 100), 0) << "slept all the time";
  EXPECT_EQ(processor_ns_inside(40, 100, 60), 0) << "computed outside, slept inside";
  EXPECT_EQ(processor_ns_inside(100, 100, 60), 60) << "computed outside, spun inside";
  EXPECT_EQ(processor_ns_inside(70, 100, 60), 30);
  EXPECT_EQ(processor_ns_inside(130, 100, 60), 60) << "clocks are read one after the other";
  EXPECT_EQ(processor_ns_inside(50, 100, 120), 50) << "the same";
}

void spin(std::int64_t ns) {
  const std::int64_t begin = os::thread_cpu_ns();
  while (os::thread_cpu_ns() - begin < ns) {
  }
}

// What the clock tells of a call in which the thread does this.
std::int64_t told_of(CallClock& clock, const std::function<void()>& inside) {
  const std::int64_t begin = now_ns();
  inside();
  return clock.after_call(begin, now_ns());
}

// Whatever else the machine does: while a thread is on no processor, its processor's clock stands still.
TEST(CallClock, TakesNothingOfWhatAThreadComputesThatSleepsInCalls) {
  std::thread([] {
    CallClock clock;
    std::int64_t told = 0, inside_at_most = 0;
    for (int i = 0; i < 5; ++i) {
      spin(2 * kMillisecond_ns);
      const std::int64_t begin_cpu = os::thread_cpu_ns();
      told += told_of(clock, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
      inside_at_most += os::thread_cpu_ns() - begin_cpu;
    }
    EXPECT_LE(told, inside_at_most);
  }).join();
}

// What was between the calls, the machine's other work too, may hide as much of it on either side.
TEST(CallClock, TellsWhatAThreadSpinsInCalls) {
  std::thread([] {
    CallClock clock;
    (void)told_of(clock, [] { spin(kMillisecond_ns); });
    std::int64_t told = 0, inside = 0;
    const std::int64_t begin = now_ns();
    for (int i = 0; i < 5; ++i) {
      const std::int64_t call = now_ns();
      spin(4 * kMillisecond_ns);
      const std::int64_t end = now_ns();
      told += clock.after_call(call, end);
      inside += end - call;
    }
    EXPECT_GE(told, 5 * 4 * kMillisecond_ns - 2 * (now_ns() - begin - inside));
  }).join();
}

// A thread that is there for one call is told of as far as that did not fit into the time before it.
TEST(CallClock, TellsOfALongFirstCall) {
  std::thread([] {
    CallClock clock;
    const std::int64_t begin = now_ns();
    spin(100 * kMillisecond_ns);
    const std::int64_t end = now_ns();
    const std::int64_t told = clock.after_call(begin, end);
    const std::int64_t outside = now_ns() - *os::thread_begin_ns() - (end - begin);
    EXPECT_GE(told, 100 * kMillisecond_ns - outside);
    EXPECT_LE(told, os::thread_cpu_ns());
  }).join();
}

TEST(CallClock, TakesNothingOfWhatWasComputedBeforeALongFirstCall) {
  std::thread([] {
    CallClock clock;
    spin(50 * kMillisecond_ns);
    const std::int64_t begin_cpu = os::thread_cpu_ns();
    const std::int64_t told = told_of(clock, [] { std::this_thread::sleep_for(std::chrono::milliseconds(60)); });
    EXPECT_LE(told, os::thread_cpu_ns() - begin_cpu);
  }).join();
}

}  // namespace
}  // namespace comity::metrics
