// SPDX-License-Identifier: BSD-3-Clause
// A fiber whose stack runs over ends the process with its name, with each kind of guard.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "harts.hpp"
#include "os/threads/stack_area.hpp"
#include "sched/tasks/group.hpp"
#include "sched/tasks/stealing.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::Hart;
using sched::RoundRobin;

// Not a tail call, and a frame of its own each time.
[[gnu::noinline]] int deeper(volatile int* above, int depth) {
  volatile int here[64];
  here[0] = above[0] + depth;
  if (depth < 0) return here[0];
  return deeper(here, depth + 1) + here[0];
}

void overflow_in_a_fiber() {
  Harts here({.harts = 1, .stack_bytes = 64 * 1024});
  Entered<RoundRobin> fair(here.root());
  join(start(
      fair,
      [] {
        volatile int first[1] = {0};
        (void)deeper(first, 0);
      },
      "solver"));
}

TEST(StackOverflow, NamesTheFiberAndEndsByTheSignal) {
  EXPECT_EXIT(overflow_in_a_fiber(), ::testing::KilledBySignal(SIGSEGV),
              R"(the stack of fiber [0-9]+ \(solver\) ran over: it has 6[0-9] KB; give fibers larger stacks)");
}

TEST(StackOverflow, OfOthersIsNoMatterOfOurs) {
  EXPECT_EXIT(
      {
        const Harts here({.harts = 1});
        volatile int* const nowhere = nullptr;
        *nowhere = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), "^$");
}

void exit_with_7(int) { ::_exit(7); }

TEST(StackOverflow, ComesBeforeTheProgramsOwnHandler) {
  EXPECT_EXIT(
      {
        (void)std::signal(SIGSEGV, &exit_with_7);
        overflow_in_a_fiber();
      },
      ::testing::ExitedWithCode(7), "solver");
}

TEST(StackOverflow, LeavesNoHandlerBehind) {
  { const Harts here({.harts = 1}); }
  EXPECT_EQ(std::signal(SIGSEGV, SIG_DFL), SIG_DFL);
}

// A frame larger than the stack that touches its far end first steps over whatever is narrow.
[[gnu::noinline]] void large_frame() {
  volatile char array[400 * 1024];
  array[0] = 1;
  (void)array[0];
}

TEST(StackOverflow, OfAFrameLargerThanTheStackIsSeenInATask) {
  EXPECT_EXIT(
      {
        Harts here({.harts = 1});
        Entered<sched::Stealing> tasks(here.root());
        join(start(
            tasks,
            [&tasks] {
              sched::Group group(tasks);
              group.run([] { large_frame(); });
              group.wait();
            },
            "solver"));
      },
      ::testing::KilledBySignal(SIGSEGV), R"(the stack of fiber [0-9]+ \(solver\) ran over: it has 25[0-9] KB)");
}

// In a fiber whose canary has been written over: it ends at the switch, and does not live to see what comes after it.
void rest_with_a_broken_canary(sched::Fiber::Moves moves) {
  static const std::uint64_t broken = sched::kCanary + 1;
  Harts here({.harts = 1});
  Entered<RoundRobin> fair(here.root());
  join(start(
      fair,
      [moves] {
        Hart& hart = *Hart::current();
        hart.fiber().canary = &broken;
        if (moves == sched::Fiber::Moves::never) {
          hart.yield();
        } else {
          hart.block();
        }
        ::_exit(0);
      },
      "solver", moves));
}

TEST(StackOverflow, IsSeenByTheCanaryAtTheNextSwitch) {
  for (const auto moves : {sched::Fiber::Moves::never, sched::Fiber::Moves::in_waits}) {
    EXPECT_EXIT(rest_with_a_broken_canary(moves), ::testing::KilledBySignal(SIGABRT),
                R"(fiber [0-9]+ \(solver\) ran over)");
  }
}

// Written from end to end, and larger than the stack: over the canary, and on in the room below, which is nobody's.
[[gnu::noinline]] void fill_a_large_frame() {
  volatile char array[96 * 1024];
  for (volatile char& one : array) one = 1;
}

void overrun_without_a_guard(void (*then)()) {
  Harts here({.harts = 1, .stack_bytes = 64 * 1024, .guards = os::StackGuards::lowest_only});
  Entered<RoundRobin> fair(here.root());
  join(start(
      fair,
      [then] {
        fill_a_large_frame();
        then();
      },
      "solver"));
}

TEST(StackOverflow, WithoutAGuardIsToldAtTheNextSwitchAndAtTheEnd) {
  const auto switches = [] {
    yield();
    ::_exit(0);
  };
  for (void (*const then)() : {+switches, +[] {}}) {
    EXPECT_EXIT(overrun_without_a_guard(then), ::testing::KilledBySignal(SIGABRT),
                R"(the stack of fiber [0-9]+ \(solver\) ran over: it has 6[0-9] KB; give fibers larger stacks)");
  }
}

TEST(StackOverflow, IsNoMatterOfACanaryThatIsWhole) {
  sched::StackPool pool(sched::StackPool::kSmallestStack, os::StackGuards::lowest_only);
  sched::StackShelf shelf;
  sched::Fiber& fiber = pool.take(shelf, nullptr);
  ASSERT_NE(fiber.canary, nullptr);
  check_stack(fiber);
  pool.give(shelf, fiber);
  pool.empty(shelf);
}

TEST(StackOverflow, OfEveryGuardIsFoundByItsAddress) {
  for (const auto guards : {os::StackGuards::light, os::StackGuards::by_mprotect}) {
    if (guards == os::StackGuards::light && !os::has_light_guards()) continue;
    const os::StackArea area(3, 64 * 1024, guards);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(area.stack_over(area.stack(i).data() - 1), i);
      EXPECT_EQ(area.stack_over(area.stack(i).data()), 3U);
      EXPECT_EXIT(*(area.stack(i).data() - 1) = std::byte{1}, ::testing::KilledBySignal(SIGSEGV), "");
      std::byte* const far_end = area.stack(i).data() - area.guard_bytes();
      EXPECT_GE(area.guard_bytes(), std::size_t{256} * 1024);
      EXPECT_EQ(area.stack_over(far_end), i);
      EXPECT_EXIT(*far_end = std::byte{1}, ::testing::KilledBySignal(SIGSEGV), "");
    }
  }
}

// More guards by mprotect than the kernel lets a process have: the pool goes over to canaries before.
TEST(StackPool, HasMoreStacksThanTheKernelHasMappings) {
  sched::StackPool pool(sched::StackPool::kSmallestStack, os::StackGuards::by_mprotect);
  sched::StackShelf shelf;
  std::vector<sched::Fiber*> taken;
  while (taken.size() < 40'000) taken.push_back(&pool.take(shelf, nullptr));
  EXPECT_EQ(taken.front()->canary, nullptr);
  EXPECT_NE(taken.back()->canary, nullptr);
  for (sched::Fiber* const fiber : taken) pool.give(shelf, *fiber);
  pool.empty(shelf);
}

}  // namespace
}  // namespace comity::testing
