// SPDX-License-Identifier: BSD-3-Clause
// Cross: a division that takes whole nodes from two others in turn, of what is not yet placed the node that keeps most inside (greedy
// partition crossover, Galinier and Hao 1999). Not: whether it fits, which wandering sees to (wander.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

// `rooms`: of each node; what one parent has in a node that the child has filled goes to another one that has room for it, if there is one.
[[nodiscard]] std::vector<Domain> crossed(const Graph& graph, std::span<const std::uint32_t> rooms,
                                          const std::vector<Domain>& one, const std::vector<Domain>& other);

}  // namespace comity::place
