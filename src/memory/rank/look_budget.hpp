// SPDX-License-Identifier: BSD-3-Clause
// LookBudget: what looks at all mappings may cost of the processor: a share of the time that passes, and a credit beside, so that a short run
// has some too. Time passes in steps, at which the ranks of a node look together: those that wait for one another wait for each other's looks too,
// which would add up. Not: what is looked at. By one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"
#include "memory/ledger.hpp"

namespace comity::memory {

class LookBudget {
 public:
  // `bytes_a_ns`: how much of what came since the last look one takes a nanosecond longer for.
  constexpr LookBudget(std::int64_t share, std::int64_t credit_ns, std::int64_t bytes_a_ns = 100)
      : share_(share), credit_ns_(credit_ns), bytes_a_ns_(bytes_a_ns) {}

  // From when on time counts.
  void start(std::int64_t now_ns) noexcept { start_ns_ = now_ns; }

  // Not before time counts. `resident_bytes`: what a look costs depends on it.
  [[nodiscard]] bool can_pay(std::int64_t now_ns, std::int64_t looks, std::int64_t resident_bytes) const noexcept {
    const std::int64_t passed_ns = std::max<std::int64_t>(0, last_step(now_ns, kLookStep_ns) - start_ns_);
    return start_ns_ != 0 && spent_ns_ + looks * expected_ns(resident_bytes) <= credit_ns_ + passed_ns / share_;
  }
  void pay(std::int64_t cost_ns, std::int64_t resident_bytes) noexcept {
    if (cost_ns == 0) return;
    spent_ns_ += cost_ns;
    last_cost_ns_ = cost_ns;
    last_resident_bytes_ = resident_bytes;
  }

 private:
  // As the last one, and what the kernel takes for small pages that came since; a small process's first look is most of all for its mappings.
  [[nodiscard]] std::int64_t expected_ns(std::int64_t resident_bytes) const noexcept {
    constexpr std::int64_t kFirst_ns = 300'000;
    const std::int64_t known_ns = last_cost_ns_ == 0 ? kFirst_ns : last_cost_ns_;
    return known_ns + std::max<std::int64_t>(0, resident_bytes - last_resident_bytes_) / bytes_a_ns_;
  }

  std::int64_t share_;
  std::int64_t credit_ns_;
  std::int64_t bytes_a_ns_;
  std::int64_t start_ns_ = 0;
  std::int64_t spent_ns_ = 0;
  std::int64_t last_cost_ns_ = 0;  // 0: there was none
  std::int64_t last_resident_bytes_ = 0;
};

}  // namespace comity::memory
