// SPDX-License-Identifier: BSD-3-Clause
// Sliced halves: a small piece of a grid, one of very many, is cut between its layers (slices.hpp), and then ranks move across each cut as
// long as that pays (halves.hpp). It takes a fraction of what halving a graph does that nobody knows the layers of (bisect.hpp).
#pragma once

#include <span>
#include <vector>

#include "place/job/graph.hpp"
#include "place/job/grid.hpp"
#include "place/site.hpp"

namespace comity::place {

// `piece`: what the ranks, which ascend, exchange among themselves.
[[nodiscard]] std::vector<Domain> halved_by_slices(const Graph& piece, const Grid& grid, std::span<const Rank> ranks,
                                                   std::span<const std::size_t> sizes);

}  // namespace comity::place
