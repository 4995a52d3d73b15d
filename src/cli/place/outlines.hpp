// SPDX-License-Identifier: BSD-3-Clause
// Outlines: a mapping of a plane with many ranks as SVG: of each node the border around its cells, in one path. Not: the cells and
// exchanges of a small one (picture).
// Invariant: the text is bounded: where a plane has too many cells, a cell of the picture stands for a square of them.
#pragma once

#include <string>

#include "cli/place/picture.hpp"

namespace comity::cli {

[[nodiscard]] std::string outlines_svg(const Placed& placed, const Plane& plane);

}  // namespace comity::cli
