// SPDX-License-Identifier: BSD-3-Clause
// Gains: ranks of one side by what a move of theirs gains, the best first, of equal ones the one that came last: so a line moves on
// where it has begun to (Hagen, Huang, Kahng 1997). A stack for each gain where there are few of these (Fiduccia and Mattheyses
// 1982), else a heap; both have the same order. Entries that have become stale are dropped when met.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "place/job/graph.hpp"

namespace comity::place {

class Gains {
 public:
  static constexpr Rank kNone = ~Rank{0};

  // Forgets all. No gain will be above `most`, or below its negative.
  void reset(Weight most) {
    entries_.clear();
    heap_ = {};
    if (most > kMostStacked) {
      tops_.clear();
      return;
    }
    most_ = most;
    tops_.assign(2 * static_cast<std::size_t>(most) + 1, kNothing);
    highest_ = 0;
  }

  void push(Rank rank, Weight gain) {
    if (tops_.empty()) {
      heap_.push({gain, age_++, rank});
      return;
    }
    const auto at = static_cast<std::size_t>(gain + most_);
    entries_.push_back({rank, tops_[at]});
    tops_[at] = static_cast<std::uint32_t>(entries_.size() - 1);
    if (at > highest_) highest_ = at;
  }

  // is_current(rank, gain): whether the entry still holds. kNone where none does.
  template <typename IsCurrent>
  [[nodiscard]] Rank best(IsCurrent&& is_current) {
    if (tops_.empty()) {
      for (; !heap_.empty(); heap_.pop()) {
        if (is_current(heap_.top().rank, heap_.top().gain)) return heap_.top().rank;
      }
      return kNone;
    }
    for (;; --highest_) {
      for (std::uint32_t& top = tops_[highest_]; top != kNothing; top = entries_[top].below) {
        if (is_current(entries_[top].rank, static_cast<Weight>(highest_) - most_)) return entries_[top].rank;
      }
      if (highest_ == 0) return kNone;
    }
  }

 private:
  static constexpr Weight kMostStacked = 4096;
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  struct Stacked {
    Rank rank;
    std::uint32_t below;  // the entry of the same gain that came before
  };
  struct Heaped {
    Weight gain;
    std::uint64_t age;
    Rank rank;
    bool operator<(const Heaped& other) const { return gain != other.gain ? gain < other.gain : age < other.age; }
  };

  Weight most_ = 0;
  std::vector<Stacked> entries_;
  std::vector<std::uint32_t> tops_;  // of each gain, from the least on; empty: there are too many
  std::size_t highest_ = 0;          // no stack above has an entry
  std::priority_queue<Heaped> heap_;
  std::uint64_t age_ = 0;
};

}  // namespace comity::place
