// SPDX-License-Identifier: BSD-3-Clause
// Slices: a piece of a grid that is too large to be halved as a graph is cut between its layers, again and again (recursive coordinate
// bisection, Berger and Bokhari 1987); where it is a box, what is filled along a walk (orders.hpp) is tried too. Not: whole jobs
// (mapper.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "place/job/grid.hpp"
#include "place/site.hpp"

namespace comity::place {

// Parts of these sizes of some ranks of a grid, which ascend: the list of sizes is halved again and again, and each time the piece is
// cut across the dimension where least crosses. A layer that belongs to both halves is cut too; where sizes allow, parts are boxes.
// `widths`: of each rank of the grid; sizes are sums of widths then, and parts are near them only. Empty: all are 1.
[[nodiscard]] std::vector<Domain> sliced(const Grid& grid, std::span<const Rank> ranks,
                                         std::span<const std::size_t> sizes,
                                         std::span<const std::uint32_t> widths = {});

// The ranks as a grid of their own, rank i the i-th of them; none where they are no box. A dimension is periodic where they are all of
// a ring.
[[nodiscard]] std::optional<Grid> box_of(const Grid& grid, std::span<const Rank> ranks);

// The best of a few walks, and of what is known. `piece`: what the cells of the box exchange.
[[nodiscard]] std::vector<Domain> split_of_box(const Graph& piece, const Grid& box, std::span<const std::size_t> sizes,
                                               std::vector<Domain> known);

// The best of slices and, of a box, walks. `piece()`: what the ranks exchange among themselves, which takes longer to find than slices do, so that
// it is asked for where they are a box alone.
template <typename Piece>
[[nodiscard]] std::vector<Domain> split_of_grid(Piece&& piece, const Grid& grid, std::span<const Rank> ranks,
                                                std::span<const std::size_t> sizes) {
  std::vector<Domain> slices = sliced(grid, ranks, sizes);
  const std::optional<Grid> box = box_of(grid, ranks);
  return box ? split_of_box(piece(), *box, sizes, std::move(slices)) : slices;
}

}  // namespace comity::place
