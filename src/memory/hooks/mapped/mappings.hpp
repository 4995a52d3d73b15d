// SPDX-License-Identifier: BSD-3-Clause
// Mappings: parts of the address space that somebody has mapped by himself, and whose they are. Ends of them may go, and
// middles.
// Invariant: a place's number is taken before the index has it, and the index has it before the place holds a range; it goes in the other order. So a
// fork child may lose a place, and never finds a range twice.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "memory/hooks/mapped/address_index.hpp"
#include "memory/hooks/mapped/free_places.hpp"
#include "memory/hooks/ranges.hpp"

namespace comity::memory::hooks {

class Mappings {
 public:
  constexpr Mappings() = default;

  // Where there is no place it is counted, and not seen.
  void add(const Range& range) noexcept;
  struct Unplaced {
    std::int64_t mappings;
    std::int64_t bytes;
  };
  void count_unplaced(const Unplaced& more) noexcept {
    unplaced_.fetch_add(more.mappings, std::memory_order_relaxed);
    unplaced_bytes_.fetch_add(more.bytes, std::memory_order_relaxed);
  }
  // Of the whole run, whatever of them has gone.
  [[nodiscard]] Unplaced unplaced() const noexcept {
    return {unplaced_.load(std::memory_order_relaxed), unplaced_bytes_.load(std::memory_order_relaxed)};
  }
  // Whatever lies there goes, as far as it does; before that it is looked at, where its component may then have most. What went is told: of more
  // parts than there is room for the others are nobody's, and whoever puts parts back counts them as unplaced.
  struct Parts {
    std::array<Range, 16> parts;
    std::size_t count = 0;
    Unplaced others{};

    [[nodiscard]] std::span<const Range> all() const noexcept { return std::span(parts).first(count); }
  };
  [[nodiscard]] Parts take_out(std::uintptr_t start, std::uint64_t bytes) noexcept;
  // The two steps of it.
  void look_before_removal(std::uintptr_t start, std::uint64_t bytes) noexcept;
  void forget(std::uintptr_t start, std::uint64_t bytes) noexcept { take_away(start, bytes, Before::nothing); }
  // The one that the address lies in; an empty one: it lies in none.
  [[nodiscard]] Range at(std::uintptr_t address) noexcept;

  [[nodiscard]] std::span<RangePlace> places() noexcept {
    return std::span(places_).first(used_.load(std::memory_order_acquire));
  }

 private:
  static constexpr std::size_t kPlaces = AddressIndex::kMostNumbers;
  enum class Before : std::uint8_t { look, nothing };

  void take_away(std::uintptr_t start, std::uint64_t bytes, Before before, Parts* gone = nullptr) noexcept;
  void cut(const Range& whole, std::uintptr_t start, std::uintptr_t end, Parts* gone) noexcept;
  [[nodiscard]] bool put(const Range& range) noexcept;
  // Takes `step` to the places of all that lie there, with what they hold.
  template <typename Step>
  void for_each_in(std::uintptr_t start, std::uintptr_t end, Step&& step) noexcept;

  AddressIndex index_;  // the first, for it is as wide as cache lines
  std::array<RangePlace, kPlaces> places_{};
  std::atomic<std::size_t> used_{0};  // none behind it was ever taken
  FreePlaces<kPlaces> free_;
  std::atomic<std::int64_t> unplaced_{0};
  std::atomic<std::int64_t> unplaced_bytes_{0};
};

extern constinit Mappings mappings;

}  // namespace comity::memory::hooks
