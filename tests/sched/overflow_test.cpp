// SPDX-License-Identifier: BSD-3-Clause
// A fiber whose stack runs over ends the process with its name, with each kind of guard.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csignal>
#include <string>
#include <vector>

#include "harts.hpp"
#include "os/threads/stack_area.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
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

TEST(StackOverflow, IsSeenByTheCanaryAtTheNextSwitch) {
  sched::StackPool pool(sched::StackPool::kSmallestStack, os::StackGuards::lowest_only);
  sched::StackShelf shelf;
  sched::Fiber& fiber = pool.take(shelf, nullptr);
  fiber.set_name("solver");
  check_stack(fiber);
  *const_cast<std::uint64_t*>(fiber.canary) = 0;
  EXPECT_EXIT(check_stack(fiber), ::testing::KilledBySignal(SIGABRT), R"(fiber [0-9]+ \(solver\) ran over)");
}

TEST(StackOverflow, OfEveryGuardIsFoundByItsAddress) {
  for (const auto guards : {os::StackGuards::light, os::StackGuards::protected_page}) {
    if (guards == os::StackGuards::light && !os::has_light_guards()) continue;
    const os::StackArea area(3, 64 * 1024, guards);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(area.stack_over(area.stack(i).data() - 1), i);
      EXPECT_EQ(area.stack_over(area.stack(i).data()), 3U);
      EXPECT_EXIT(*(area.stack(i).data() - 1) = std::byte{1}, ::testing::KilledBySignal(SIGSEGV), "");
    }
  }
}

// More guards by mprotect than the kernel lets a process have: the pool goes over to canaries before.
TEST(StackPool, HasMoreStacksThanTheKernelHasMappings) {
  sched::StackPool pool(sched::StackPool::kSmallestStack, os::StackGuards::protected_page);
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
