// SPDX-License-Identifier: BSD-3-Clause
// Widths: ways to divide ranks of unequal width among nodes: those that mapper.hpp has for equal ones (walks, slices, bisection, others'
// partitioners), with widths for weights or with as many ranks as would fit if all were of the usual width, repaired so that they fit,
// the best improved by moves and swaps. Not: packings (packing.hpp), nor what is inside nodes (uneven.hpp).
// Invariant: in each answer no node holds more than its room.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "place/division/fit.hpp"
#include "place/job/grid.hpp"
#include "place/mapper.hpp"
#include "place/objective.hpp"

namespace comity::place {

struct WidthsTask {
  const Graph& graph;
  const Grid* grid;                      // whose graph it is, if it is one's
  std::span<const std::uint32_t> width;  // of each rank
  std::span<const std::uint32_t> rooms;  // of each node
  const Fit& fit;                        // of these ranks into these nodes
  const Objective& objective;
  const Progress& progress;
  const Partition& ask;
};

struct NamedDivision {
  std::string name;
  std::vector<Domain> node_of;
};

inline constexpr std::size_t kMostDivisionsOfWidths = 4;

// A few, the best first. `known`: divisions that fit, which take part.
[[nodiscard]] std::vector<NamedDivision> divisions_of_widths(const WidthsTask& task,
                                                             std::vector<NamedDivision> known = {});

// For objectives by which more between nodes may be worth less inside them: of the task's grid, divisions by walks of unlike shapes of a node's piece,
// in the order in which they are promising, and no more than so many. None without a grid.
[[nodiscard]] std::vector<NamedDivision> divisions_of_shapes(const WidthsTask& task, std::size_t most);

}  // namespace comity::place
