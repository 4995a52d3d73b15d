// SPDX-License-Identifier: BSD-3-Clause
// Beside: what each component has that the hooks do not know of: code, data, stacks, as of the last look at all pages, and by what of it that
// may change without anybody's asking has changed since. Not: how that is counted (unasked), what the hooks know (ledger). By any thread; noted by one at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "memory/component.hpp"
#include "memory/rank/stocks.hpp"

namespace comity::memory {

class Beside {
 public:
  using Bytes = std::array<std::int64_t, kMostComponents>;

  // Behind a look at all pages; what nobody has asked for was counted too.
  void note(const Stock& stock, const std::optional<Bytes>& unasked) noexcept {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      then_[i] = stock.beside_bytes(static_cast<Component>(i));
      bytes_[i].store(then_[i], std::memory_order_relaxed);
    }
    unasked_then_ = unasked;
    is_known_.store(true, std::memory_order_release);
  }
  // It was counted again.
  void note(const Bytes& unasked) noexcept {
    for (std::size_t i = 0; unasked_then_ && i < bytes_.size(); ++i)
      bytes_[i].store(then_[i] + unasked[i] - (*unasked_then_)[i], std::memory_order_relaxed);
  }
  // By whoever notes.
  [[nodiscard]] bool may_be_counted_again() const noexcept { return unasked_then_.has_value(); }

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
  Bytes then_{};  // at the last look at all pages
  std::optional<Bytes> unasked_then_;
};

}  // namespace comity::memory
