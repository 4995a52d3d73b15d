// SPDX-License-Identifier: BSD-3-Clause
// A program that MPI is linked into (libmpi.a), as far as a create can tell: its progress threads begin in the program.
#include <comity/comity.hpp>

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "os/threads/threads.hpp"

extern "C" [[gnu::visibility("default")]] int MPI_Initialized(int* flag) {
  *flag = 0;
  return 0;
}

namespace {

using comity::Context;
using comity::Resource;

// False where the kernel does not tell.
bool becomes_seen_in_poll(const std::atomic<pid_t>& thread) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience{10};
  for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
    if (thread.load() != 0 && comity::os::sleeps_in_poll(thread.load())) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

cpu_set_t mask_of(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(sched_getaffinity(thread, sizeof(mask), &mask), 0);
  return mask;
}

TEST(MpiInProgram, AThreadThatSleepsInPollIsTakenForMpisWhereverItBegins) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::atomic<pid_t> id{0};
  std::jthread progress([&] {
    id.store(gettid());
    pollfd wait{ends[0], POLLIN, 0};
    (void)poll(&wait, 1, -1);
  });
  const bool is_seen = becomes_seen_in_poll(id);
  const cpu_set_t before = mask_of(id.load());
  bool is_narrow = false;
  if (is_seen) {
    Context context = Context::local();
    context.push(Resource::core, 0);
    const cpu_set_t mine = mask_of(0);
    is_narrow = CPU_EQUAL(&mine, &before) == 0;
    const cpu_set_t pushed = mask_of(id.load());
    EXPECT_TRUE(CPU_EQUAL(&pushed, &before));
    context.pop();
  }
  close(ends[1]);
  progress.join();
  close(ends[0]);
  if (!is_seen) GTEST_SKIP() << "NOT TESTED: this kernel does not tell what a thread sleeps in";
  if (!is_narrow) GTEST_SKIP() << "NOT TESTED: there is one core only";
}

}  // namespace
