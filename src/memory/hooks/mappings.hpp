// SPDX-License-Identifier: BSD-3-Clause
// Mappings: parts of the address space that somebody has mapped by himself, and whose they are. Ends of them may go, and
// middles.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/hooks/ranges.hpp"

namespace comity::memory::hooks {

class Mappings {
 public:
  constexpr Mappings() = default;

  // Where there is no place it is not seen.
  void add(const Range& range) noexcept;
  // Whatever lies there goes, as far as it does.
  void remove(std::uintptr_t start, std::uint64_t bytes) noexcept;
  // The one that starts there; an empty one: none does.
  [[nodiscard]] Range starting_at(std::uintptr_t start) noexcept;

  [[nodiscard]] std::span<RangePlace> places() noexcept {
    return std::span(places_).first(used_.load(std::memory_order_acquire));
  }

 private:
  static constexpr std::size_t kPlaces = 8192;

  void cut(const Range& gone, std::uintptr_t start, std::uintptr_t end) noexcept;

  std::array<RangePlace, kPlaces> places_{};
  std::atomic<std::size_t> used_{0};  // none behind it was ever taken
};

extern constinit Mappings mappings;

}  // namespace comity::memory::hooks
