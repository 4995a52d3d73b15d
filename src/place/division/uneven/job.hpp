// SPDX-License-Identifier: BSD-3-Clause
// UnevenJob: ranks with unequal numbers of threads, the cores for them, and what is good.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "place/division/packing.hpp"
#include "place/job/graph.hpp"
#include "place/network.hpp"
#include "place/objective.hpp"
#include "place/site.hpp"

namespace comity::place {

struct UnevenJob {
  const Graph& graph;
  const Site& cores;                          // a place each
  const std::vector<std::uint32_t>& threads;  // of each rank
  const Objective& objective;
  const Network* torus;  // if that is what lies above the nodes

  [[nodiscard]] const Level& nodes() const { return cores.levels()[cores.node_level()]; }
  [[nodiscard]] std::size_t outer_levels() const { return cores.node_level() + 1; }  // nodes, and what is above them
  [[nodiscard]] bool nodes_decide() const {
    return first_levels_decide(objective, outer_levels(), cores.levels().size());
  }
};

inline constexpr Place kNoPlace = ~Place{0};
inline constexpr std::array kSpares{Spare::worst_bin, Spare::sum};

}  // namespace comity::place
