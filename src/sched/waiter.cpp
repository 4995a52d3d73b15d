// SPDX-License-Identifier: BSD-3-Clause
#include "sched/waiter.hpp"

#include "sched/substrate.hpp"

namespace comity::sched {

void join(Fiber& fiber) {
  Hart* const here = Hart::current();
  if (here != nullptr) here->watch([&fiber] { return fiber.joiner.load(std::memory_order_acquire) == happened(); });
  Waiter waiter(WaitFor::fiber, &fiber);
  Waiter* nobody = nullptr;
  if (fiber.joiner.load(std::memory_order_acquire) != happened() &&
      fiber.joiner.compare_exchange_strong(nobody, &waiter, std::memory_order_acq_rel)) {
    waiter.wait();
  }
  if (here != nullptr) {
    Hart::current()->recycle(fiber);  // which may be another by now
    return;
  }
  StackShelf shelf;
  StackPool& stacks = fiber.home->substrate().stacks();
  stacks.give(shelf, fiber);
  stacks.empty(shelf);
}

}  // namespace comity::sched
