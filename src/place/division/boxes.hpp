// SPDX-License-Identifier: BSD-3-Clause
// Boxes: a grid cut into near-equal pieces of each dimension, and what these boxes exchange: those at the border of an open grid less than
// those inside. Not: pieces that are no boxes (orders.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "place/cut.hpp"
#include "place/job/grid.hpp"

namespace comity::place {

struct Boxes {
  Cell pieces{};          // of each dimension
  std::size_t count = 0;  // of the boxes
  Crossing cut;
};

// For how many boxes, and how large they may be.
struct BoxRange {
  std::size_t fewest, most;
  std::size_t room;  // [cells]
};

// For each number of boxes in the range, ascending, for which there are such, those that cut least in the worst one, and those that cut least
// in all where these are others. Of a large grid only boxes that are alike.
[[nodiscard]] std::vector<Boxes> best_boxes(const Grid& grid, const BoxRange& range);

// The box of each rank, in row-major order.
[[nodiscard]] std::vector<Domain> box_of_each(const Grid& grid, const Boxes& boxes);

}  // namespace comity::place
