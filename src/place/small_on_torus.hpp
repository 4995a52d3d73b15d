// SPDX-License-Identifier: BSD-3-Clause
// SmallOnTorus: what is left to find and to prove of a job of few ranks whose exchanges are to go over few links of a torus, when a mapping is
// known: all divisions among its nodes are compared by links, which proves how few there are, and then all mappings by links and the levels
// behind them. Where that takes too many steps the other mappings stand. Not: other objectives (small.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "place/mapper.hpp"
#include "place/network.hpp"

namespace comity::place {

// The best mapping by now, as its key is compared: limits, links, levels.
struct KnownOnTorus {
  Key key;
  Weight links;
};

struct SmallTorusTask {
  const Graph& graph;
  const Site& site;
  const Network& torus;
  const Objective& objective;  // Aim::hops
  const Progress& progress;
  std::function<void(const std::string& name, Mapping mapping)> offer;  // what may be better
  std::function<KnownOnTorus()> known;
};

// The cell of each node of a site.
[[nodiscard]] std::vector<std::uint32_t> cells_of_nodes(const Site& site);

// No mapping has fewer links than these.
[[nodiscard]] Weight try_all_of_small_on_torus(const SmallTorusTask& task);

}  // namespace comity::place
