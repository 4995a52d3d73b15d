// SPDX-License-Identifier: BSD-3-Clause
// Tally: numbers that one thread adds to while others may read them.
#pragma once

#include <atomic>
#include <cstdint>

namespace comity::metrics {

// Written by its own thread only, so adding needs no locked instruction.
class Tally {
 public:
  void add(std::uint64_t more) { value_.store(value() + more, std::memory_order_relaxed); }
  void raise_to(std::uint64_t at_least) {
    if (at_least > value()) value_.store(at_least, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace comity::metrics
