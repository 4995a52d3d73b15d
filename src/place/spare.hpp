// SPDX-License-Identifier: BSD-3-Clause
// Which places of a site a job of fewer ranks may fill (Site::only), each in ascending order. Not: which of these ways is best
// (mapper.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "place/site.hpp"

namespace comity::place {

[[nodiscard]] std::vector<Place> first_places(std::size_t ranks);

// The first places of each of so many nodes, the first ones, as even as these have room. They must have room for all.
[[nodiscard]] std::vector<Place> even_places(const Site& site, std::size_t ranks, std::size_t nodes);

// The first places of each node, so many as it has of all places, in proportion.
[[nodiscard]] std::vector<Place> proportional_places(const Site& site, std::size_t ranks);

// How many of the first nodes have room for so many ranks.
[[nodiscard]] std::size_t fewest_nodes(const Site& site, std::size_t ranks);

}  // namespace comity::place
