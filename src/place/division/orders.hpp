// SPDX-License-Identifier: BSD-3-Clause
// Orders: ways to walk through a grid, such that the nodes filled on the way get compact pieces: boxes where they fit,
// bands of a few rows walked column by column, pencils of a few rows and layers walked lengthwise. Source of the idea:
// node-aware boxes (Gropp 2019), strips (Hunold et al., arXiv 2005.09521). Not: which of them is best.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "place/job/grid.hpp"

namespace comity::place {

using Axes = std::array<std::uint8_t, kMostDimensions>;  // the slowest first

struct Walk {
  Cell pieces{};                                // into how many near-equal pieces each dimension is cut: the tiles
  Axes axes{};                                  // how cells are walked in a tile; tiles are walked in the same manner
  bool back_and_forth = false;                  // the fastest axis turns round at each end
  std::array<double, kMostDimensions> width{};  // of a node's piece, roughly
  double estimate = 0;                          // roughly what a node's piece has to exchange; smaller is better

  bool operator==(const Walk&) const = default;
};

// All walks worth trying for nodes of `node_ranks` ranks, the most promising first.
[[nodiscard]] std::vector<Walk> walks(const Grid& grid, std::size_t node_ranks);
// What the first of them has as its estimate, and how many they are.
[[nodiscard]] double least_estimate(const Grid& grid, std::size_t node_ranks);
[[nodiscard]] std::size_t count_of_walks(const Grid& grid, std::size_t node_ranks);

// Of these the first walks of so many shapes of a node's piece. Wide pieces that differ by less than a fifth are of one shape.
[[nodiscard]] std::vector<Walk> of_unlike_shapes(const std::vector<Walk>& walks, std::size_t most);

// The ranks in the order of the walk.
[[nodiscard]] std::vector<Rank> order_of(const Grid& grid, const Walk& walk);

}  // namespace comity::place
