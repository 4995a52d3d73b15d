// SPDX-License-Identifier: BSD-3-Clause
// Board: what the ranks of one communicator of a node give one another in a collective of little data. Each lays its part down before others
// see that it has come, and reads those of all when all have come; so nobody goes into the library for it. Not: who has come (Meeting), what
// is made of the parts (calls/). Invariants: in a turn all ranks come to the same answer whether all parts are there and fit, for the first
// one that knows writes it down; a part stays as it is until its rank has come to the next turn but one, when all have read it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"

namespace comity::coop {

class Board {
 public:
  static constexpr std::size_t kMostBytes = 232;  // of one part

  // kind: the call and whatever has to be the same on all ranks.
  struct Part {
    std::uint64_t kind = 0;
    std::span<const std::byte> bytes;
  };

  [[nodiscard]] static std::size_t bytes_for(std::size_t members) { return sizeof(Head) + 2 * members * sizeof(Cell); }

  // memory: bytes_for(members), shared by all members, zeroes at first; epoch: of the group, for the memory may have been another's before.
  // What this member had laid there is gone.
  Board(std::span<std::byte> memory, std::size_t members, std::size_t rank, std::uint32_t epoch);

  // turn: how often all have come, this one counted. Before others see it.
  void lay(std::uint64_t turn, const Part& part);
  // Behind that, once all have come, or where this member no longer waits for them: whether all have laid parts of that kind. The same
  // on all members that lay one; false where this one has not.
  [[nodiscard]] bool agree(std::uint64_t turn, std::uint64_t kind);
  // If so: until my next turn but one.
  [[nodiscard]] std::span<const std::byte> part(std::uint64_t turn, std::size_t member) const {
    const Cell& cell = cell_of(turn, member);
    return {cell.bytes.data(), cell.size};
  }

 private:
  struct alignas(64) Head {
    std::array<std::atomic<std::uint64_t>, 2>
        answers;  // of even and odd turns: a mark, or where all have agreed the next number
  };
  struct alignas(64) Cell {
    std::atomic<std::uint64_t> mark;  // of the turn; 0: nothing
    std::uint32_t size;
    std::uint32_t reserved;
    std::uint64_t kind;
    std::array<std::byte, kMostBytes> bytes;
  };
  static_assert(sizeof(Cell) == 256);

  // Of a turn of this group, even and not 0; one of another turn, or of a group that had this memory before, is the same once in 2^62.
  [[nodiscard]] std::uint64_t mark(std::uint64_t turn) const { return (mixed(mixed(epoch_) + turn) | 3U) - 1; }
  [[nodiscard]] Cell& cell_of(std::uint64_t turn, std::size_t member) const {
    return cells_[turn % 2 * members_ + member];
  }

  Head* head_;
  Cell* cells_;
  std::size_t members_;
  std::size_t rank_;
  std::uint64_t epoch_;
};

}  // namespace comity::coop
