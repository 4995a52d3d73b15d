// SPDX-License-Identifier: BSD-3-Clause
// Surface: what a set of so many cells of a grid shows at least, whatever its form, and so what crosses between sets of them. Sources: Loomis
// and Whitney 1949 (a set is no larger than its shadows allow), Alonso and Cerf 1996 and Ahlswede and Bezrukov 1995 (cells in three and more
// dimensions), Brass 1996 (cells of a plane with all eight neighbours). Not: graphs (degree.hpp), nor how full domains are (filling.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "place/job/grid.hpp"

namespace comity::place {

// The least surface of a set of so many cells, each face weighed by its dimension's halo; edges across a face of the open
// grid count.
[[nodiscard]] Weight least_surface(const Grid& grid, std::size_t cells);

// What domains show that hold at most so many cells each, less the border of the grid, is twice what crosses between them.
[[nodiscard]] Weight least_between(const Grid& grid, const std::vector<std::size_t>& most);

}  // namespace comity::place
