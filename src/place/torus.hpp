// SPDX-License-Identifier: BSD-3-Clause
// Torus: a mapping whose exchanges go over few links of a torus of nodes. The blocks of its network (network.hpp) give a first
// one; whole nodes then change places, and divisions that mind no blocks and the sequential order are tried too.
// Invariant: no more links times weight than in the sequential order. By the objective never worse than the best launcher's order
// of which that is true too.
#pragma once

#include "place/arrange.hpp"
#include "place/mapper.hpp"
#include "place/network.hpp"

namespace comity::place {

// Links on the shortest ways times what goes over them.
[[nodiscard]] Weight links_of(const Graph& graph, const Site& site, const Network& torus, const Mapping& mapping);

// How the site's nodes lie to one another, by links. Both are looked at later on.
[[nodiscard]] Neighbourhood neighbourhood_on(const Network& torus, const Site& site);

// As mapped(); `site` was made with the torus's levels and order.
[[nodiscard]] Answer mapped_on_torus(const Graph& graph, const Grid* grid, const Site& site, const Network& torus,
                                     const Objective& objective, const Progress& progress = {},
                                     const Partition& ask = {});

}  // namespace comity::place
