// SPDX-License-Identifier: BSD-3-Clause
// Decompose: a grid cut into boxes, those into boxes again, and so on: ranks, threads, cache blocks. Each level is cut so
// that the box of most cells, with the halo that it reads, has the fewest. Source: Hager, Jost, Rabenseifner 2009,
// sections 3.1.1 and 3.1.2. Not: where the boxes run (mapper.hpp).
// Invariant: the boxes of a level cover the grid, each cell once; boxes of the same outer box differ by one cell a
// dimension at most, and none is empty but where a level is cut by cells and the outer box is smaller than its siblings.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "place/job/grid.hpp"

namespace comity::place {

using Extents = std::array<std::int64_t, kMostDimensions>;  // [cells]; those of dimensions that a grid has not are 1
using Cuts = std::array<std::int32_t, kMostDimensions>;     // [pieces] of each dimension

struct Box {
  Extents first{};
  Extents extent{};

  [[nodiscard]] std::int64_t cells() const;
};

// What one level is to be.
struct BoxLevel {
  std::int64_t parts =
      0;  // [boxes] that each box before is cut into; 0: as few as keep them within most_cells, in the way
          // of these few that reads least
  std::int64_t most_cells = 0;  // of a box; 0: any number
};

// The cuts of each level, the outermost first, chosen for the largest boxes of the level before. Throws Status::range
// naming the level: more boxes than can be cut, or a number out of range.
[[nodiscard]] std::vector<Cuts> decomposed(std::span<const std::int64_t> extents, std::span<const BoxLevel> levels);

// The box that is the index[l]-th of each level l, in row-major order of the cuts. Throws Status::range.
[[nodiscard]] Box box_at(std::span<const std::int64_t> extents, std::span<const Cuts> cuts,
                         std::span<const std::int64_t> index);

}  // namespace comity::place
