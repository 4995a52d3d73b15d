// SPDX-License-Identifier: BSD-3-Clause
// A block: a rectangle of L0's cells with two rows of ghost cells around it, and what one time step needs of
// it. Not: where its neighbours are (HaloPlan). The corners of the ghost frame are never read by the scheme.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "l0/gas.hpp"
#include "mesh/grid.hpp"

namespace twomesh::l0 {

inline constexpr int kGhosts = 2;

// One array a conserved field, rows of block.stride() values.
using Fields = std::array<std::vector<double>, kFields>;

class Block {
 public:
  explicit Block(const Rect& cells) : cells_(cells) {
    const auto padded = static_cast<std::size_t>(stride()) * static_cast<std::size_t>(ny() + 2 * kGhosts);
    // Ones, a gas at rest, so that the unused corners never make a NaN.
    for (Fields* fields : {&state, &stage, &rate}) fields->fill(std::vector<double>(padded, 1.0));
    for (Fields* fields : {&state, &stage, &rate}) {
      for (const int momentum : {kMomentumX, kMomentumY})
        (*fields)[static_cast<std::size_t>(momentum)].assign(padded, 0.0);
    }
  }

  [[nodiscard]] const Rect& cells() const { return cells_; }
  [[nodiscard]] int nx() const { return cells_.width(); }
  [[nodiscard]] int ny() const { return cells_.height(); }
  [[nodiscard]] int stride() const { return nx() + 2 * kGhosts; }
  // The place of cell (i, j) of the block; ghosts have i or j in -2, -1, n, n + 1.
  [[nodiscard]] std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(j + kGhosts) * static_cast<std::size_t>(stride()) +
           static_cast<std::size_t>(i + kGhosts);
  }

  Fields state;  // conserved fields at the start of the step
  Fields stage;  // after the first half of the Runge-Kutta step
  Fields rate;   // time derivative; ghosts unused

 private:
  Rect cells_;
};

}  // namespace twomesh::l0
