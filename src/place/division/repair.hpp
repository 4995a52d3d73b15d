// SPDX-License-Identifier: BSD-3-Clause
// Repair: a division whose parts are about as large as nodes, made to fit them exactly. Not: finding one, nor making it better
// where it fits (anneal.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "place/division/fit.hpp"
#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

// sizes[n] ranks for node n, all ranks together. The largest part goes to the largest node, and so on; then ranks leave parts
// that are too large for those that lack some, each time the one by which least more is cut.
[[nodiscard]] std::vector<Domain> repaired(const Graph& graph, std::vector<Domain> part,
                                           std::span<const std::size_t> sizes);

// The same of ranks of unequal width, in nodes that hold no more than their rooms. Where moves alone do not come out, each node gets so
// many ranks of each width as in a packing of which is known that it fits. None where none is known.
[[nodiscard]] std::optional<std::vector<Domain>> repaired_widths(const Graph& graph, std::vector<Domain> part,
                                                                 std::span<const std::uint32_t> widths,
                                                                 std::span<const std::uint32_t> rooms, const Fit& fit);

}  // namespace comity::place
