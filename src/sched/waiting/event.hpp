// SPDX-License-Identifier: BSD-3-Clause
// Event: something that happens once, and those who wait for it, fibers and plain threads. Futures stand on it.
#pragma once

#include <atomic>

#include "sched/waiting/wait_list.hpp"

namespace comity::sched {

class Event {
 public:
  [[nodiscard]] bool has_happened() const noexcept { return first_.load(std::memory_order_acquire) == happened(); }

  void wait() noexcept {
    Waiter* others = first_.load(std::memory_order_acquire);
    Waiter waiter(WaitFor::event, this);
    do {
      if (others == happened()) return;
      waiter.next = others;
    } while (!first_.compare_exchange_weak(others, &waiter, std::memory_order_acq_rel, std::memory_order_acquire));
    waiter.wait();
  }

  // Once. A waiter may destroy the event at once.
  void happen() noexcept { wake_all(first_.exchange(happened(), std::memory_order_acq_rel)); }

 private:
  std::atomic<Waiter*> first_{nullptr};  // the one who came last; happened()
};

}  // namespace comity::sched
