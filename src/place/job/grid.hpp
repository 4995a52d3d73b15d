// SPDX-License-Identifier: BSD-3-Clause
// Grid: a Cartesian decomposition of 1 to 4 dimensions, and what neighbours exchange. Ranks are cells in row-major order:
// the last index runs fastest, as in MPI_Cart_create. Not: the graph of it as data of its own (graph_of), nor good orders
// of cells (orders.hpp).
// Invariant: 1 .. kMostDimensions dimensions, each at least 1; at most kMostRanks cells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "place/job/graph.hpp"

namespace comity::place {

inline constexpr std::size_t kMostDimensions = 4;
inline constexpr Weight kMostHalo = 1'000'000'000;

using Cell = std::array<std::uint32_t, kMostDimensions>;  // unused dimensions are 0

struct Grid {
  std::vector<std::uint32_t> extents;  // cells of each dimension
  std::vector<bool> periodic = {};     // of each dimension; empty: none is
  std::vector<Weight> halo = {};       // what two neighbours in this dimension exchange; empty: 1 each
  Weight diagonal = 0;                 // what cells exchange that touch at an edge or a corner only; 0: nothing

  [[nodiscard]] std::size_t dimensions() const { return extents.size(); }
  [[nodiscard]] std::size_t cells() const;
  [[nodiscard]] bool wraps(std::size_t dimension) const { return !periodic.empty() && periodic[dimension]; }
  [[nodiscard]] bool wraps() const;
  [[nodiscard]] Weight halo_of(std::size_t dimension) const { return halo.empty() ? 1 : halo[dimension]; }
  [[nodiscard]] Rank rank_of(const Cell& cell) const;
  [[nodiscard]] Cell cell_of(Rank rank) const;

  // Throws Status::range or Status::argument, naming the dimension.
  void check() const;
};

// One edge for each two cells that touch. In a periodic dimension of 2 cells both sides of a cell are the same neighbour,
// and both exchanges count; in one of 1 cell a cell exchanges nothing with itself.
[[nodiscard]] Graph graph_of(const Grid& grid);

}  // namespace comity::place
