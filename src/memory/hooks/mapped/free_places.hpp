// SPDX-License-Identifier: BSD-3-Clause
// FreePlaces: which places of a table are taken, a bit each, the first ones before the others. No lock, no allocation.
// Invariant: a number is one taker's until he gives it back.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace comity::memory::hooks {

template <std::size_t kPlaces>
class FreePlaces {
 public:
  constexpr FreePlaces() = default;

  // None: all are taken.
  [[nodiscard]] std::optional<std::size_t> take() noexcept {
    const std::size_t hint = first_.load(std::memory_order_relaxed);
    const std::optional<std::size_t> found = take_from(hint, hint);
    return found || hint == 0 ? found : take_from(0, hint);
  }

  void give_back(std::size_t place) noexcept {
    const std::size_t word = place / kWordBits;
    taken_[word].fetch_and(~(std::uint64_t{1} << place % kWordBits), std::memory_order_release);
    std::size_t first = first_.load(std::memory_order_relaxed);
    while (word < first && !first_.compare_exchange_weak(first, word, std::memory_order_relaxed)) {
    }
  }

 private:
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kWords = kPlaces / kWordBits;
  static_assert(kPlaces % kWordBits == 0);

  [[nodiscard]] std::optional<std::size_t> take_from(std::size_t begin, std::size_t hint) noexcept {
    for (std::size_t word = begin; word < kWords; ++word) {
      std::uint64_t taken = taken_[word].load(std::memory_order_relaxed);
      while (taken != UINT64_MAX) {
        const auto bit = static_cast<std::size_t>(std::countr_one(taken));
        if (!taken_[word].compare_exchange_weak(taken, taken | std::uint64_t{1} << bit, std::memory_order_acquire))
          continue;
        if (word != hint) (void)first_.compare_exchange_strong(hint, word, std::memory_order_relaxed);
        return word * kWordBits + bit;
      }
    }
    return std::nullopt;
  }

  std::array<std::atomic<std::uint64_t>, kWords> taken_{};
  std::atomic<std::size_t> first_{0};  // a word before which there hardly are free ones: where to begin
};

}  // namespace comity::memory::hooks
