// SPDX-License-Identifier: BSD-3-Clause
// Harts of libcomity_sched as their process sees them: on which CPU each is, that it leaves one that somebody wants, and what
// stacks there are.
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <comity/sched.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "thread_states.hpp"

namespace {

using namespace comity::sched;  // NOLINT(google-build-using-namespace): a program of a user
using namespace std::chrono_literals;

using comity::testing::state_of;
using comity::testing::thread_states;

TEST(LibraryHarts, AreOnACpuEach) {
  const Harts all;
  std::set<int> cpus;
  for (int hart = 0; hart < harts(); ++hart) cpus.insert(cpu_of(hart));
  EXPECT_EQ(static_cast<int>(cpus.size()), harts());
  EXPECT_EQ(cpu_of(hart()), ::sched_getcpu());
  EXPECT_THROW((void)cpu_of(harts()), comity::Failure);
  EXPECT_THROW((void)cpu_of(-1), comity::Failure);
}

// They would look for work for an hour, were it not for who wants their CPU.
TEST(LibraryHarts, ThatLookForWorkSleepAtOnceWhereTheirCpuIsWanted) {
  const auto before = thread_states();
  comity_sched_options options{};
  options.spin_ns = std::chrono::nanoseconds(1h).count();
  Harts all(options);
  std::vector<std::string> others;
  for (const auto& [thread, state] : thread_states()) {
    if (before.count(thread) == 0) others.push_back(thread);
  }
  ASSERT_EQ(static_cast<int>(others.size()), harts() - 1);
  for (int hart = 0; hart < harts(); ++hart) want(cpu_of(hart));
  for (const std::string& thread : others) {
    while (state_of(thread) != 'S') std::this_thread::yield();
  }
  // They come for work all the same.
  all.run([] { parallel_for(0, 1000, [](std::int64_t) {}); });
  for (int hart = 0; hart < harts(); ++hart) want_no_more(cpu_of(hart));
}

TEST(LibraryHarts, AreWantedAsOftenAsTheyAreWantedNoMore) {
  const Harts all;
  const int cpu = cpu_of(0);
  want(cpu);
  want(cpu);
  want_no_more(cpu);
  want_no_more(cpu);
  EXPECT_EQ(comity_sched_want(cpu, 0), COMITY_ERR_ORDER);
  EXPECT_EQ(comity_sched_want(cpu, 2), COMITY_ERR_RANGE);
  EXPECT_EQ(comity_sched_want(-1, 1), COMITY_ERR_RANGE);
  EXPECT_EQ(comity_sched_want(1'000'000, 1), COMITY_ERR_RANGE);
  for (int i = 0; i < 65'535; ++i) want(cpu);
  EXPECT_EQ(comity_sched_want(cpu, 1), COMITY_ERR_RANGE);
  for (int i = 0; i < 65'535; ++i) want_no_more(cpu);
}

// What fibers leave behind is given to others: a hundred times as many, one after another, need a quarter as many at most.
TEST(LibraryHarts, KeepStacksAndGiveThemOutAgain) {
  constexpr int kAtOnce = 100;
  Harts all;
  const auto some = [] {
    std::vector<Fiber> fibers;
    for (int i = 0; i < kAtOnce; ++i) fibers.emplace_back([] { yield(); });
    for (Fiber& fiber : fibers) fiber.join();
  };
  all.run(some);
  const comity_sched_stack_count first = stacks();
  EXPECT_GE(first.made, kAtOnce);
  EXPECT_GE(first.most_in_use, kAtOnce);
  EXPECT_LE(first.in_use, first.made);
  // A hart keeps up to 512 at hand.
  for (int round = 0; round < 100; ++round) all.run(some);
  EXPECT_LE(stacks().made, 100 * kAtOnce / 4);
}

TEST(LibraryHarts, AreNoneBeforeTheyAreStarted) {
  comity_sched_stack_count count{};
  int32_t cpu = -1;
  EXPECT_EQ(comity_sched_stacks(&count), COMITY_ERR_ORDER);
  EXPECT_EQ(comity_sched_want(0, 1), COMITY_ERR_ORDER);
  EXPECT_EQ(comity_sched_cpu_of(0, &cpu), COMITY_ERR_ORDER);
  const Harts all;
  EXPECT_EQ(comity_sched_stacks(nullptr), COMITY_ERR_ARGUMENT);
  EXPECT_EQ(comity_sched_cpu_of(0, nullptr), COMITY_ERR_ARGUMENT);
}

}  // namespace
