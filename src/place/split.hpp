// SPDX-License-Identifier: BSD-3-Clause
// Split: a small graph into parts of given sizes, such that little crosses between them: the best there is where the graph is very
// small, else bisected and annealed. Not: whole jobs (mapper.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

// `swaps`: how many may be tried, in all.
[[nodiscard]] std::vector<Domain> split(const Graph& graph, std::span<const std::size_t> sizes, std::uint64_t swaps);

}  // namespace comity::place
