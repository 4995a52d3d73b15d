// SPDX-License-Identifier: BSD-3-Clause
// Lingerers: harts that have found nothing to do in a scheduler and look there a moment longer before they leave. Who has
// something for them counts on one and asks for no other hart. Not: how long they look (hart).
// Invariant: a hart that was counted on finds that out when it stops, and looks once more.
// Atomic: std::atomic; a test puts one there that stops at each access.
#pragma once

#include <atomic>

namespace comity::sched {

template <template <typename> typename Atomic = std::atomic>
class Lingerers {
 public:
  // By a hart, before it looks: at now(), which is no more what this returns when one was counted on.
  int begin() noexcept { return count_.fetch_add(1, std::memory_order_seq_cst) + 1; }
  [[nodiscard]] int now() const noexcept { return count_.load(std::memory_order_relaxed); }
  // By the same; false: it was counted on, and looks once more.
  [[nodiscard]] bool end() noexcept { return take(); }
  // After something has been put where they look: whether one of them sees to it.
  [[nodiscard]] bool count_on_one() noexcept { return take(); }

 private:
  [[nodiscard]] bool take() noexcept {
    int count = count_.load(std::memory_order_seq_cst);
    while (count > 0) {
      if (count_.compare_exchange_weak(count, count - 1, std::memory_order_seq_cst)) return true;
    }
    return false;
  }

  Atomic<int> count_{0};
};

}  // namespace comity::sched
