// SPDX-License-Identifier: BSD-3-Clause
// TorusWalk: a way through cells of a torus, or of some of its dimensions, each step to a cell nearby: what lies in a row goes along it, what
// is a ring comes back to where it began. Not: what is laid on it (laid.hpp).
// Invariant: no cell is met twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comity::place {

using TorusCell = std::vector<std::uint32_t>;  // a coordinate a dimension
using TorusWalk = std::vector<TorusCell>;

// Links on a shortest way.
[[nodiscard]] std::uint32_t links_between(const TorusCell& one, const TorusCell& other,
                                          const std::vector<std::uint32_t>& extents);

// Links of all steps; with the step back to the first cell where it is closed.
[[nodiscard]] std::uint64_t links_of(const TorusWalk& walk, const std::vector<std::uint32_t>& extents, bool closed);

// Of so many cells, each one link from the one before. The torus has as many.
[[nodiscard]] TorusWalk open_walk(const std::vector<std::uint32_t>& extents, std::size_t cells);

// The same as a ring of few links: as many as cells, where such a ring is known.
[[nodiscard]] TorusWalk closed_walk(const std::vector<std::uint32_t>& extents, std::size_t cells);

}  // namespace comity::place
