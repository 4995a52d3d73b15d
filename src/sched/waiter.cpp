// SPDX-License-Identifier: BSD-3-Clause
#include "sched/waiter.hpp"

#include "sched/substrate.hpp"

namespace comity::sched {
namespace {

void wait_for(Fiber& fiber) {
  Waiter waiter(WaitFor::fiber, &fiber);
  Waiter* nobody = nullptr;
  if (fiber.joiner.load(std::memory_order_acquire) != happened() &&
      fiber.joiner.compare_exchange_strong(nobody, &waiter, std::memory_order_acq_rel)) {
    waiter.wait();
  }
}

[[gnu::noinline]] void join_one_of_any_hart(Fiber& fiber, Hart& here) {
  here.watch([&fiber] { return fiber.joiner.load(std::memory_order_acquire) == happened(); });
  wait_for(fiber);
  Hart::current()->recycle_from_elsewhere(fiber);  // which may be another hart by now, where the caller may move
}

[[gnu::noinline]] void join_by_thread(Fiber& fiber) {
  wait_for(fiber);
  StackShelf shelf;
  StackPool& stacks = fiber.home->substrate().stacks();
  stacks.give(shelf, fiber);
  stacks.empty(shelf);
}

}  // namespace

void join(Fiber& fiber) {
  Hart* const here = Hart::current();
  if (here == nullptr) {
    join_by_thread(fiber);
    return;
  }
  if (fiber.bound_to != here) {
    join_one_of_any_hart(fiber, *here);
    return;
  }
  // It ends on this hart: nobody else looks at who waits for that, and no atomic operation is needed.
  if (fiber.joiner.load(std::memory_order_relaxed) != happened()) {
    Waiter waiter(WaitFor::fiber, &fiber);
    fiber.joiner.store(&waiter, std::memory_order_relaxed);
    waiter.wait();
  }
  Hart::current()->recycle(fiber);  // which may be another by now
}

}  // namespace comity::sched
