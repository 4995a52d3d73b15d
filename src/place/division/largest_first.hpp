// SPDX-License-Identifier: BSD-3-Clause
// Largest first: in which order what has a size is taken where large ones are hard to find room for.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

namespace comity::place {

// Numbers of all, the largest first; of equals the first one first. Number: an unsigned type.
template <typename Number, typename Sizes>
[[nodiscard]] std::vector<Number> largest_first(const Sizes& sizes) {
  std::vector<Number> order(sizes.size());
  std::iota(order.begin(), order.end(), Number{0});
  std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace comity::place
