// SPDX-License-Identifier: BSD-3-Clause
// Halves: two sides of a graph, one of a size asked for, with little between them. Sources: greedy growing, Karypis and
// Kumar 1998; moves with the best prefix of a pass, Kernighan and Lin 1970, Fiduccia and Mattheyses 1982.
// Invariant: cut() is what crosses, surplus() what side 0 has more than it should.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "place/division/coarse.hpp"
#include "place/division/gains.hpp"

namespace comity::place {

using Sides = std::vector<std::uint8_t>;  // 0 or 1, of each rank

class Halves {
 public:
  // Side 0 should have `left` of all.
  Halves(const SizedGraph& sized, std::size_t left) : sized_(sized), left_(left) {}

  void grow_from(Rank seed);
  void take(Sides sides);
  // Moves ranks as long as that pays. A side may be off by the largest rank's size meanwhile, and afterwards by no more
  // than before.
  void refine();
  // Both sides as they should be, where ranks stand for one each.
  void balance();

  [[nodiscard]] Weight cut() const { return cut_; }
  [[nodiscard]] std::int64_t surplus() const { return surplus_; }
  [[nodiscard]] const Sides& sides() const { return sides_; }

 private:
  static constexpr Rank kNone = Gains::kNone;

  void unlock_all();
  void push(Rank rank) { queues_[sides_[rank]].push(rank, gain_[rank]); }
  [[nodiscard]] Rank best_of(std::uint8_t side);
  void find_gains();
  enum class Then : std::uint8_t { go_on, rest };  // go_on: the neighbours may move next
  void move(Rank rank, Then then);
  [[nodiscard]] Rank choose(std::int64_t tolerance);
  [[nodiscard]] bool improve();

  const SizedGraph& sized_;
  std::size_t left_;
  Sides sides_;
  std::vector<Weight> gain_;  // what the cut falls by if the rank changes sides
  std::vector<Weight> all_;   // that each exchanges
  std::vector<bool> locked_;
  std::array<Gains, 2> queues_;  // of each side
  Weight most_ = 0;              // of all_
  Weight cut_ = 0;
  std::int64_t surplus_ = 0;
};

}  // namespace comity::place
