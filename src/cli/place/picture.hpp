// SPDX-License-Identifier: BSD-3-Clause
// A mapping of a plane as SVG, in the manner of the paper's figures 3 to 5: a square a rank, coloured by node, red lines
// for exchanges between nodes and double blue ones for those inside a node that cross a level. Above 20,000 ranks outlines of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/place/report.hpp"

namespace comity::cli {

// How a grid is drawn. A dimension of one cell drops out of more than two.
struct Plane {
  std::size_t rows = 1;
  std::size_t columns = 1;
};
// None where it has more than two others.
[[nodiscard]] std::optional<Plane> plane_of(const place::Grid& grid);

// The text of the picture. Throws Status::unsupported for what is no plane.
[[nodiscard]] std::string placed_svg(const Placed& placed);

// Hues far apart for numbers near each other.
[[nodiscard]] std::string colour_of_node(std::uint32_t node);

}  // namespace comity::cli
