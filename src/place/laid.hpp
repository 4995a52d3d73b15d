// SPDX-License-Identifier: BSD-3-Clause
// Laid: a grid cut into boxes, a node each, which are laid on a torus so that neighbours are few links apart: each dimension of the grid goes
// along one of the torus, or to and fro through several, and comes back to where it began where it is a ring (torus_walk.hpp). Nodes may be
// left empty around them. Not: graphs, nor boxes that share a node (torus.hpp).
#pragma once

#include <vector>

#include "place/job/grid.hpp"
#include "place/network.hpp"
#include "place/site.hpp"

namespace comity::place {

// The node of each rank, of a few ways with few links, the best first; none where no boxes fit. `site`: of the torus.
[[nodiscard]] std::vector<std::vector<Domain>> laid_on_torus(const Grid& grid, const Site& site, const Network& torus);

// So many nodes in turn, each a link from the one before, the last one near the first.
[[nodiscard]] std::vector<Domain> ring_of_nodes(const Site& site, const Network& torus, std::size_t count);

}  // namespace comity::place
