// SPDX-License-Identifier: BSD-3-Clause
// Demand: how many harts a scheduler asks its parent for, what its children ask for included. Not: which hart comes, nor what a
// parent makes of it (scheduler).
// Invariants: a parent is asked for at least what its children are; it is told of more before they are, and of less after.
// Atomic: std::atomic; a test puts one there that stops at each access.
#pragma once

#include <algorithm>
#include <atomic>

namespace comity::sched {

template <template <typename> typename Atomic = std::atomic>
class Demand {
 public:
  // [harts] asked for and not come.
  [[nodiscard]] int wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }
  // The same, in one order with what harts tell of themselves before they sleep.
  [[nodiscard]] int wanted_now() const noexcept { return wanted_.load(std::memory_order_seq_cst); }
  // Whether children want any.
  [[nodiscard]] bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed) > 0; }

  // So many more; `pass_on` asks the parent, whose demand is `above`. Null: there is none.
  // Above first: whoever claims it here takes it from there too.
  template <typename PassOn>
  void request(int harts, Demand* above, const PassOn& pass_on) noexcept {
    if (above != nullptr) {
      above->asked_.fetch_add(harts, std::memory_order_relaxed);
      pass_on(harts);
    }
    wanted_.fetch_add(harts, std::memory_order_seq_cst);
  }

  // So many fewer, but for those that have come meanwhile.
  template <typename PassOn>
  void cancel(int harts, Demand* above, const PassOn& pass_on) noexcept {
    int wanted = wanted_.load(std::memory_order_relaxed);
    int fewer = 0;
    do {
      fewer = std::clamp(harts, 0, std::max(wanted, 0));
      if (fewer == 0) return;
    } while (!wanted_.compare_exchange_weak(wanted, wanted - fewer, std::memory_order_seq_cst));
    if (above == nullptr) return;
    above->asked_.fetch_sub(fewer, std::memory_order_relaxed);
    pass_on(-fewer);
  }

  // One of those asked for has come; false: none is wanted any more.
  [[nodiscard]] bool claim(Demand* above) noexcept {
    int wanted = wanted_.load(std::memory_order_relaxed);
    while (wanted > 0) {
      if (!wanted_.compare_exchange_weak(wanted, wanted - 1, std::memory_order_seq_cst)) continue;
      if (above != nullptr) above->asked_.fetch_sub(1, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

 private:
  Atomic<int> wanted_{0};  // [harts]
  Atomic<int> asked_{0};   // [harts] the sum of what children want
};

}  // namespace comity::sched
