// SPDX-License-Identifier: BSD-3-Clause
// Which rank owns which tiles: consecutive tiles in the tiling's order, shared out evenly.
// Invariant: parts and tiles ascend together, so reading the parts in order reads the tiles in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace twomesh {

class Ownership {
 public:
  // `ranks`: the owners in the big communicator, ascending. A part may be empty where ranks outnumber tiles.
  Ownership(int tile_count, std::vector<int> ranks) : ranks_(std::move(ranks)) {
    const auto parts = static_cast<std::int64_t>(ranks_.size());
    for (std::int64_t part = 0; part <= parts; ++part) {
      first_.push_back(static_cast<int>(part * tile_count / parts));
    }
  }

  [[nodiscard]] int parts() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] int rank_of_part(int part) const { return ranks_[static_cast<std::size_t>(part)]; }
  [[nodiscard]] int first_tile(int part) const { return first_[static_cast<std::size_t>(part)]; }
  [[nodiscard]] int tile_count(int part) const { return first_tile(part + 1) - first_tile(part); }
  [[nodiscard]] int part_of_tile(int tile) const {
    return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), tile) - first_.begin()) - 1;
  }
  // The part that lives on this rank, or -1.
  [[nodiscard]] int part_on(int rank) const {
    const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    return found != ranks_.end() && *found == rank ? static_cast<int>(found - ranks_.begin()) : -1;
  }

 private:
  std::vector<int> ranks_;
  std::vector<int> first_;  // first_[part] .. first_[part + 1] - 1 are the part's tiles
};

}  // namespace twomesh
