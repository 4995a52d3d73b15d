// SPDX-License-Identifier: BSD-3-Clause
// Gather: mappings whose inner domains were filled first, as if each were a node of its own, and then gathered into nodes. The other way
// round, nodes first, a node's ranks lie together, so what is inside it cannot be parted without exchanges there; where these are
// limited, or dear, a node is better made of pieces that do not touch. Not: nodes first (mapper.hpp).
// Source: Hager, Jost, Rabenseifner 2009, section 3.1.1, whose levels are taken from the inside here.
#pragma once

#include <cstddef>
#include <vector>

#include "place/cut.hpp"
#include "place/objective.hpp"

namespace comity::place {

// The inner levels that are worth filling first: those with a limit, and those that cost no less than the level around them. Only where all
// of their domains have as many places, and as few as can change places one by one.
[[nodiscard]] std::vector<std::size_t> levels_to_fill_first(const Site& site, const Objective& objective);

// The limits that remain when the domains of a level are the nodes.
[[nodiscard]] Objective inside_of(const Objective& objective, std::size_t level);

// The same mapping but that whole domains of the levels down to `level` may have changed places, for what the objective says of these. All
// of them have as many places.
[[nodiscard]] Mapping gathered(const Graph& graph, const Site& site, const Objective& objective, std::size_t level,
                               Mapping mapping);

}  // namespace comity::place
