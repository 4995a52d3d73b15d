// SPDX-License-Identifier: BSD-3-Clause
// Orders: in which order the library combines what the ranks of one communicator give to a sum of all, and the like, by kind of call. Sums of
// floating-point numbers come out by it, to the last bit. Not known at first; a kind that comes often is tried (calls/sums). Invariant: all ranks
// note the same turns, so they know the same of each kind.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace comity::coop {

// Ranks combine what they have with what another one has, one step away, then two, four and so on: with that one's in front, or that of the lower rank.
// In halves each keeps in a step the half of the elements alone that the other one gives away, with the other one's in front, and
// all get the pieces of all in the end. Where the ranks are no power of two the first ones make pairs of neighbours before. These differ in what is not commutative
// alone: which of two that are no numbers comes out.
enum class Order : std::uint8_t { unknown, other_first, lower_first, halves, another };

class Orders {
 public:
  // Of a call all parts of which are there: its order is to be tried now.
  [[nodiscard]] bool is_time_to_try(std::uint64_t kind) {
    Entry* const entry = find(kind);
    if (entry == nullptr) {
      if (known_ < kMostKinds) entries_[known_++] = {kind, 1, Order::unknown};
      return false;
    }
    return entry->order == Order::unknown && ++entry->turns == kTurnsBefore;
  }
  void note(std::uint64_t kind, Order order) {
    if (Entry* const entry = find(kind)) entry->order = order;
  }
  [[nodiscard]] Order of(std::uint64_t kind) {
    const Entry* const entry = find(kind);
    if (entry != nullptr) return entry->order;
    return known_ < kMostKinds ? Order::unknown : Order::another;
  }

 private:
  static constexpr std::size_t kMostKinds = 16;
  static constexpr std::uint32_t kTurnsBefore = 8;

  struct Entry {
    std::uint64_t kind = 0;
    std::uint32_t turns = 0;
    Order order = Order::unknown;
  };
  [[nodiscard]] Entry* find(std::uint64_t kind) {
    const std::span<Entry> known(entries_.data(), known_);
    const auto found = std::ranges::find(known, kind, &Entry::kind);
    return found == known.end() ? nullptr : &*found;
  }

  std::array<Entry, kMostKinds> entries_;
  std::size_t known_ = 0;
};

}  // namespace comity::coop
