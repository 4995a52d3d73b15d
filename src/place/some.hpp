// SPDX-License-Identifier: BSD-3-Clause
// Some: the mapping of a job with fewer ranks than places. A few ways to share ranks among nodes are worked out (spare.hpp), as jobs that
// fill all places are (mapper.hpp), and then ranks of the best move to wherever there is room; what is inside the nodes of the best is
// shared out among their domains at last (division/inside.hpp). Small jobs are tried on each number of nodes, and on smaller nodes, too.
#pragma once

#include "place/full.hpp"
#include "place/mapper.hpp"

namespace comity::place {

// As mapped(), which calls it.
[[nodiscard]] Answer mapped_to_some(const Graph& graph, const Grid* grid, const Site& site, const Objective& objective,
                                    const Progress& progress, const Partition& ask, Round round);

}  // namespace comity::place
