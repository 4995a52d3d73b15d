// SPDX-License-Identifier: BSD-3-Clause
// A mapping of a plane as SVG, in the manner of the paper's figures 3 to 5: a square a rank, coloured by node, red lines
// for exchanges between nodes and double blue ones for those inside a node that cross a level.
#pragma once

#include <string>

#include "cli/place/report.hpp"

namespace comity::cli {

// The text of the picture. Throws Status::unsupported for what is no plane, or too large to look at.
[[nodiscard]] std::string placed_svg(const Placed& placed);

}  // namespace comity::cli
