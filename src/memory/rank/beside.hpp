// SPDX-License-Identifier: BSD-3-Clause
// Beside: what each component has that the hooks do not know of: code, data, stacks, as of the last look at all pages. Not: what they know
// (ledger). By any thread; noted by one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/component.hpp"
#include "memory/rank/stocks.hpp"

namespace comity::memory {

class Beside {
 public:
  using Bytes = std::array<std::int64_t, kMostComponents>;

  // Behind a look at all pages.
  void note(const Stock& stock) noexcept {
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      bytes_[i].store(stock.beside_bytes(static_cast<Component>(i)), std::memory_order_relaxed);
    is_known_.store(true, std::memory_order_release);
  }

  [[nodiscard]] bool is_known() const noexcept { return is_known_.load(std::memory_order_acquire); }
  // 0 as long as nobody has looked.
  [[nodiscard]] std::int64_t of(Component component) const noexcept {
    return bytes_[static_cast<std::size_t>(component)].load(std::memory_order_relaxed);
  }
  [[nodiscard]] Bytes all() const noexcept {
    Bytes all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = of(static_cast<Component>(i));
    return all;
  }

 private:
  std::array<std::atomic<std::int64_t>, kMostComponents> bytes_{};
  std::atomic<bool> is_known_{false};
};

}  // namespace comity::memory
