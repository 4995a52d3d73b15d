// SPDX-License-Identifier: BSD-3-Clause
// libcomity_sched tells a deadlock with places in the program, and names what stands on its objects. In children, for they never
// end.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <comity/sched.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "circle.hpp"
#include "told_in_time.hpp"

namespace {

using namespace comity::sched;  // NOLINT(google-build-using-namespace): a program of a user

// Ends the process with 7 where the text is right.
void look_at_what_is_told(const char* text, void* with) {
  const std::string told(text);
  const bool whole = told.find("(left) waits for the mutex") != std::string::npos &&
                     told.find("a circle of 2") != std::string::npos &&
                     told.find("libcomity_sched") == std::string::npos && *static_cast<int*>(with) == 42;
  std::fputs(whole ? "" : text, stderr);
  _exit(whole ? 7 : 1);
}

void tell_a_circle() {
  int with = 42;
  comity_sched_options options{};
  options.on_deadlock = &look_at_what_is_told;
  options.told_with = &with;
  const Harts harts(options);
  wait_in_a_circle();
}

TEST(LibraryDeadlock, IsToldWithThePlacesInTheProgram) {
  EXPECT_EXIT(tell_a_circle(), ::testing::ExitedWithCode(7), "");
}

// No part of its callers, so that a place in it can be told from others.
[[gnu::noinline]] int receive_one(Channel<int>& channel) { return channel.receive().value_or(0) + 1; }

// The line of who waits so: whether what it names as its place is just behind the beginning of that function.
bool is_told_in(const std::string& told, const std::string& waits, const void* function) {
  const std::size_t line = told.find(waits);
  const std::size_t place = told.find("test_sched_library_deadlock+0x", line);
  Dl_info program{};
  if (line == std::string::npos || place >= told.find('\n', line) || ::dladdr(function, &program) == 0) return false;
  const std::uint64_t offset = std::stoull(told.substr(told.find("0x", place)), nullptr, 16);
  const auto begin = reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(program.dli_fbase);
  return offset > begin && offset < begin + 300;
}

void look_at_what_is_told_of_channels(const char* text, void*) {
  const std::string told(text);
  const bool whole =
      is_told_in(told, "(left) waits for a value of the channel 0x", reinterpret_cast<void*>(&receive_one)) &&
      told.find("(right) waits for room in the channel 0x") != std::string::npos &&
      told.find("(third) waits for a value of the queue 0x") != std::string::npos &&
      told.find("the condition") == std::string::npos && told.find("libcomity_sched") == std::string::npos;
  std::fputs(whole ? "" : text, stderr);
  _exit(whole ? 7 : 1);
}

void wait_for_channels() {
  comity_sched_options options{};
  options.on_deadlock = &look_at_what_is_told_of_channels;
  const Harts harts(options);
  Channel<int> empty(1);
  Channel<int> full(1);
  Queue<int> queue;
  Fiber left([&] { (void)receive_one(empty); }, "left");
  const Fiber right(
      [&] {
        full.send(1);
        full.send(2);
      },
      "right");
  const Fiber third([&] { (void)queue.receive(); }, "third");
  left.join();
}

TEST(LibraryDeadlock, NamesChannelsAndQueuesAndWhereTheyAreWaitedFor) {
  EXPECT_EXIT(wait_for_channels(), ::testing::ExitedWithCode(7), "");
}

std::atomic<std::int64_t> last_waits_ns{0};

// Without what the hart that looks has waited for a core.
void end_with_whether_it_was_soon(const char* text, void*) {
  using comity::testing::kTellWithin_ns;
  using comity::testing::ToldInTime;
  const std::int64_t after_ns = ToldInTime::clock_ns() - last_waits_ns - comity::testing::waited_for_a_core_ns();
  if (after_ns >= kTellWithin_ns) std::fprintf(stderr, "told after %.3f s\n", static_cast<double>(after_ns) / 1e9);
  _exit(after_ns < kTellWithin_ns && std::string(text).find("a circle of ") != std::string::npos ? 7 : 1);
}

// With the usual pauses.
void wait_in_a_circle_of(std::size_t size) {
  comity_sched_options options{};
  options.on_deadlock = &end_with_whether_it_was_soon;
  const Harts harts(options);
  std::vector<std::unique_ptr<Mutex>> mutexes;
  for (std::size_t i = 0; i < size; ++i) mutexes.push_back(std::make_unique<Mutex>());
  Barrier all(static_cast<int>(size));
  std::vector<Fiber> fibers;
  for (std::size_t i = 0; i < size; ++i) {
    fibers.emplace_back([&, i] {
      const std::lock_guard<Mutex> one(*mutexes[i]);
      all.wait();
      last_waits_ns = comity::testing::ToldInTime::clock_ns();
      const std::lock_guard<Mutex> next(*mutexes[(i + 1) % size]);
    });
  }
  fibers.front().join();
}

TEST(LibraryDeadlock, IsToldWithinASecond) {
  for (const std::size_t size : {2U, 3U, 100U}) {
    EXPECT_EXIT(wait_in_a_circle_of(size), ::testing::ExitedWithCode(7), "") << size;
  }
}

}  // namespace
