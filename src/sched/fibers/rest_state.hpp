// SPDX-License-Identifier: BSD-3-Clause
// RestState: whether a fiber that may move has left the stack of its hart, and whether it has been woken, in one word: whichever
// comes second shows the fiber to other harts, so none goes on with it while its old hart is still there. Not: how it is shown.
// Invariant: of leave() and wake() of one wait exactly one returns true.
// Atomic: std::atomic; a test puts one there that stops at each access.
#pragma once

#include <atomic>
#include <cstdint>

namespace comity::sched {

template <template <typename> typename Atomic = std::atomic>
class RestState {
 public:
  // By its hart, which is on another stack now: whether the fiber has been woken meanwhile.
  [[nodiscard]] bool leave() noexcept {
    std::uint32_t state = kRuns;
    if (state_.compare_exchange_strong(state, kRests, std::memory_order_acq_rel)) return false;
    state_.store(kRuns, std::memory_order_relaxed);
    return true;
  }
  // By who wakes it, once a wait: whether it has left its hart.
  [[nodiscard]] bool wake() noexcept {
    if (state_.exchange(kWoken, std::memory_order_acq_rel) == kRuns) return false;
    state_.store(kRuns, std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr std::uint32_t kRuns = 0;
  static constexpr std::uint32_t kRests = 1;
  static constexpr std::uint32_t kWoken = 2;

  Atomic<std::uint32_t> state_{kRuns};
};

}  // namespace comity::sched
