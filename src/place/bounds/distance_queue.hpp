// SPDX-License-Identifier: BSD-3-Clause
// Distance queue: what waits at a whole-numbered distance, the nearest first. Not: for distances that fall back. Source: Dial 1969.
// Invariant: what is pushed is no nearer than what was popped last, and less than `kBuckets` farther: then a bucket holds one distance.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace comity::place {

template <typename Item>
class DistanceQueue {
 public:
  static constexpr std::uint32_t kBuckets = 4096;

  struct Waiting {
    std::uint32_t distance;
    std::uint32_t next;  // of the same bucket
    Item item;
  };

  void clear() {
    waiting_.clear();
    filled_.fill(0);
    count_ = 0;
    now_ = 0;
  }

  [[nodiscard]] bool empty() const { return count_ == 0; }

  void push(std::uint32_t distance, const Item& item) {
    const std::uint32_t bucket = distance % kBuckets;
    std::uint64_t& word = filled_[bucket / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (bucket % kBits);
    const std::uint32_t next = (word & bit) == 0 ? kNone : first_[bucket];
    first_[bucket] = static_cast<std::uint32_t>(waiting_.size());
    word |= bit;
    waiting_.push_back({distance, next, item});
    ++count_;
  }

  // Of those equally far the last one that came. Not of an empty one.
  Waiting pop() {
    now_ = nearest();
    const Waiting found = waiting_[first_[now_]];
    if (found.next == kNone) {
      filled_[now_ / kBits] &= ~(std::uint64_t{1} << (now_ % kBits));
    } else {
      first_[now_] = found.next;
    }
    --count_;
    return found;
  }

 private:
  static constexpr std::uint32_t kBits = 64, kNone = ~std::uint32_t{0};

  // From the last one on, and around.
  [[nodiscard]] std::uint32_t nearest() const {
    std::uint32_t at = now_ / kBits;
    std::uint64_t word = filled_[at] & (~std::uint64_t{0} << (now_ % kBits));
    while (word == 0) {
      at = (at + 1) % (kBuckets / kBits);
      word = filled_[at];
    }
    return at * kBits + static_cast<std::uint32_t>(std::countr_zero(word));
  }

  std::vector<Waiting> waiting_;                          // also those that were popped, until it is cleared
  std::array<std::uint32_t, kBuckets> first_{};           // of each bucket that is filled
  std::array<std::uint64_t, kBuckets / kBits> filled_{};  // a bit a bucket
  std::size_t count_ = 0;
  std::uint32_t now_ = 0;  // the bucket of the last one
};

}  // namespace comity::place
