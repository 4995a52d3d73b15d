// SPDX-License-Identifier: BSD-3-Clause
// Candidates: the candidates of a bootstrap, with room for what they tell one another. The room is there before the first
// collective call, so that a rank that runs out of memory between two of them still comes to the next and nobody waits
// for it. Not: what is told (attach, group, runtime).
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "node/bootstrap.hpp"
#include "os/scratch.hpp"

namespace comity::node {

class Candidates {
 public:
  static constexpr std::size_t kMostBytes = 384;  // of one candidate's block

  explicit Candidates(Bootstrap& bootstrap)
      : bootstrap_(bootstrap), room_(static_cast<std::size_t>(bootstrap.candidate_size())) {}

  [[nodiscard]] Bootstrap& bootstrap() const { return bootstrap_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(bootstrap_.candidate_size()); }
  [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(bootstrap_.candidate_rank()); }

  // Collective over the candidates; allocates nothing. What it returns lasts until the next call.
  template <typename Block>
  [[nodiscard]] std::span<const Block> gather(const Block& mine) {
    static_assert(std::is_trivially_copyable_v<Block> && sizeof(Block) <= kMostBytes &&
                  alignof(Block) <= alignof(Room));
    Room* const room = room_.values().data();
    bootstrap_.candidate_gather(&mine, room, sizeof(Block));
    return {reinterpret_cast<const Block*>(room), size()};
  }

 private:
  struct Room {
    alignas(std::max_align_t) std::byte bytes[kMostBytes];
  };

  Bootstrap& bootstrap_;
  os::Scratch<Room> room_;
};

}  // namespace comity::node
