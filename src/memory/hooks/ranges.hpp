// SPDX-License-Identifier: BSD-3-Clause
// Ranges: a table of parts of the address space and of whose they are: large blocks, mappings. A fixed number of places,
// no allocation, no lock: a place is taken, and given back, by one exchange of its key, so a signal handler, a
// fork child and other threads find it whole at any instruction. Not: what is resident of them (look).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "memory/hooks/code/sites.hpp"

namespace comity::memory::hooks {

struct Range {
  std::uintptr_t start = 0;
  std::uint64_t bytes = 0;
  std::uint64_t seen_bytes = 0;  // resident when it was last looked at
  Component component = Component::unknown;
  bool is_shared = false;  // with other processes, or with a file
  SiteNumber site = unnumbered(Component::unknown);
};

// One of a table's places.
class RangePlace {
 public:
  constexpr RangePlace() = default;

  [[nodiscard]] bool try_to_take(const Range& range) noexcept;
  // By whoever knows that a range is there, for it is his.
  [[nodiscard]] Component component() const noexcept;
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  // The range that starts there; seen is 0 from then on. None where another thread has given it back meanwhile.
  [[nodiscard]] std::optional<Range> give_back(std::uintptr_t start) noexcept;
  // None where the place is free, or in someone's hands.
  [[nodiscard]] std::optional<Range> read() const noexcept;
  [[nodiscard]] bool holds(std::uintptr_t start) const noexcept {
    return key_.load(std::memory_order_acquire) == start;
  }

  // By how much seen has grown. Nothing where another range is there by now. By one thread at a time.
  [[nodiscard]] std::int64_t set_seen(std::uintptr_t start, std::uint64_t bytes) noexcept;

 private:
  static constexpr std::uintptr_t kGivenBack = 1;
  static constexpr std::uintptr_t kInHand = 2;  // neither is an address of a block or a mapping

  std::atomic<std::uintptr_t> key_{0};
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> seen_{0};
  std::atomic<std::uint32_t> owner_{0};  // component, 256 where it is shared, and the site above both
};

// Found by their starts: blocks.
// Invariant: of a place that holds a range, and is in nobody's hands, the bit is set.
class BlockTable {
 public:
  static constexpr unsigned kPlaceBits = 14;
  static constexpr std::size_t kPlaces = std::size_t{1} << kPlaceBits;

  // False where the places near its own are all taken.
  [[nodiscard]] bool insert(const Range& range) noexcept;
  [[nodiscard]] RangePlace* find(std::uintptr_t start) noexcept;  // null: it is not here
  // By whoever the range belongs to. As RangePlace's.
  [[nodiscard]] std::optional<Range> give_back(RangePlace& place, std::uintptr_t start) noexcept;

  // All that hold a range. To go over the table itself would drive half a MiB of the program's data out of its caches.
  template <typename Step>
  void for_each(Step&& step) noexcept {
    for (std::size_t word = 0; word < taken_.size(); ++word) {
      for (std::uint64_t bits = taken_[word].load(std::memory_order_acquire); bits != 0; bits &= bits - 1) {
        step(places_[word * kWordBits + static_cast<std::size_t>(std::countr_zero(bits))]);
      }
    }
  }

 private:
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kFarthest = 64;  // from its own place that a range stands

  [[nodiscard]] static std::size_t own_place(std::uintptr_t start) noexcept;

  std::array<RangePlace, kPlaces> places_{};
  std::array<std::atomic<std::uint64_t>, kPlaces / kWordBits> taken_{};  // a bit a place
};

}  // namespace comity::memory::hooks
