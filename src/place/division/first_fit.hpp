// SPDX-License-Identifier: BSD-3-Clause
// FirstFit: bins with so much room each, asked for the first one that has room for something; found in as many steps as halving the bins
// takes, for ranks and bins may be many. Invariant: most_[node] is the largest room below that node of the tree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "place/site.hpp"

namespace comity::place {

class FirstFit {
 public:
  explicit FirstFit(std::span<const std::uint32_t> rooms)
      : leaves_(std::bit_ceil(std::max<std::size_t>(1, rooms.size()))), most_(2 * leaves_, 0) {
    std::copy(rooms.begin(), rooms.end(), most_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node) most_[node] = larger_below(node);
  }

  // Into which bin it went. `width`: at least 1.
  std::optional<Domain> put(std::uint32_t width) {
    if (most_[1] < width) return std::nullopt;
    std::size_t node = 1;
    while (node < leaves_) node = most_[2 * node] >= width ? 2 * node : 2 * node + 1;
    const auto bin = static_cast<Domain>(node - leaves_);
    most_[node] -= width;
    for (node /= 2; node > 0; node /= 2) most_[node] = larger_below(node);
    return bin;
  }

 private:
  [[nodiscard]] std::uint32_t larger_below(std::size_t node) const {
    return std::max(most_[2 * node], most_[2 * node + 1]);
  }

  std::size_t leaves_;  // a power of two
  std::vector<std::uint32_t> most_;
};

}  // namespace comity::place
