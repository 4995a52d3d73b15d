// SPDX-License-Identifier: BSD-3-Clause
#include "remap/overlap.hpp"

#include <algorithm>
#include <cstdint>

namespace twomesh::remap {

// In units of 1 / (source_cells * target_cells) a source cell is target_cells long, a target cell source_cells.
AxisOverlap::AxisOverlap(int source_cells, int target_cells) : offset_{0} {
  const std::int64_t source_length = target_cells;
  const std::int64_t target_length = source_cells;
  for (std::int64_t target = 0; target < target_cells; ++target) {
    const std::int64_t begin = target * target_length;
    const std::int64_t end = begin + target_length;
    std::int64_t source = begin / source_length;
    first_.push_back(static_cast<int>(source));
    for (; source * source_length < end; ++source) {
      const std::int64_t covered =
          std::min(end, (source + 1) * source_length) - std::max(begin, source * source_length);
      weights_.push_back(static_cast<double>(covered) / static_cast<double>(target_length));
    }
    offset_.push_back(weights_.size());
  }
}

}  // namespace twomesh::remap
