// SPDX-License-Identifier: BSD-3-Clause
// How the cells of one axis overlap those of another that divides the same interval differently. Exact: edges
// are multiples of 1 / (source_cells * target_cells), so overlaps are whole numbers of that length.
#pragma once

#include <cstddef>
#include <vector>

namespace twomesh::remap {

class AxisOverlap {
 public:
  AxisOverlap(int source_cells, int target_cells);

  // Source cells first(target) .. last(target) - 1 overlap the target cell.
  [[nodiscard]] int first(int target) const { return first_[static_cast<std::size_t>(target)]; }
  [[nodiscard]] int last(int target) const { return first(target) + count(target); }
  // The share of the target cell that the source cell covers; a target's weights add up to one.
  [[nodiscard]] double weight(int target, int source) const {
    return weights_[offset_[static_cast<std::size_t>(target)] + static_cast<std::size_t>(source - first(target))];
  }

 private:
  [[nodiscard]] int count(int target) const {
    const auto place = static_cast<std::size_t>(target);
    return static_cast<int>(offset_[place + 1] - offset_[place]);
  }

  std::vector<int> first_;
  std::vector<std::size_t> offset_;  // offset_[target]: where the target's weights begin
  std::vector<double> weights_;
};

}  // namespace twomesh::remap
