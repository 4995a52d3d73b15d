// SPDX-License-Identifier: BSD-3-Clause
// Degree: what leaves a rank's domain at least because few others have room beside it, for any graph: all but its heaviest edges. Not: what
// grids must show besides (surface.hpp), nor what flows far (flows.hpp).
#pragma once

#include <cstddef>
#include <functional>

#include "place/job/graph.hpp"

namespace comity::place {

// What crosses between parts at least where so many others at most are with each rank: all but its heaviest edges.
[[nodiscard]] Weight least_by_degree(const Graph& graph, const std::function<std::size_t(Rank)>& beside);

// What least_by_degree cannot exceed: without weights each edge counts once, and one at least is kept for each of those beside it.
[[nodiscard]] Weight most_by_degree(const Graph& graph, std::size_t beside);

// What the rank that exchanges most with others than its heaviest `beside` neighbours has with these: one part bears all of it.
[[nodiscard]] Weight least_of_one_rank(const Graph& graph, std::size_t beside);

}  // namespace comity::place
