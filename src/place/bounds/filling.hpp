// SPDX-License-Identifier: BSD-3-Clause
// Filling: how many ranks domains may hold, and the least surface that all cells of a grid show together where domains are not all full,
// so that nobody says how many cells each has. Not: the surface of one set (surface.hpp).
// Invariant: what it says holds for every way of filling the domains.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "place/job/grid.hpp"
#include "place/site.hpp"

namespace comity::place {

// Of each domain of each level, at most.
using MostRanks = std::vector<std::vector<std::size_t>>;

[[nodiscard]] MostRanks most_ranks(const Site& site);
// Of ranks with so many threads each, places being cores. Below the nodes a rank counts where its first core is, and may reach out of the
// domain with the others.
[[nodiscard]] MostRanks most_ranks(const Site& cores, std::span<const std::uint32_t> threads);

struct Surfaces {
  std::function<Weight(std::size_t cells)> least;  // of one set
  bool monotone = false;                           // more cells never show less
  double effort = 0;                               // to look at one of as many cells as the largest domain holds
};

[[nodiscard]] Weight least_filled(std::span<const std::size_t> most, std::size_t cells, const Surfaces& surfaces);

}  // namespace comity::place
