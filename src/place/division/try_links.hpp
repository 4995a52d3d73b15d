// SPDX-License-Identifier: BSD-3-Clause
// Try links: the division of few ranks among the nodes of a torus whose exchanges go over fewest links: rank after rank to every node that
// has room, unless what is known by then goes over as many as the best so far (branch and bound). Not: what crosses levels (try_all.hpp,
// all_levels.hpp), nor many ranks (torus.hpp).
// Invariant: what it calls the best of all was compared with all, of which those that come out by shifting, mirroring and turning the
// torus count once; it stops after a count of steps, not after a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "place/division/try_all.hpp"
#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

inline constexpr std::size_t kLinkSteps = 300'000;

struct LinksTask {
  const Graph& graph;
  const std::vector<std::uint32_t>& extents;  // of the torus
  const std::vector<std::uint32_t>& numbers;  // the cell of each node
  const std::vector<std::uint32_t>& rooms;    // of each node
  const std::vector<std::uint32_t>& widths;   // of each rank
  Weight known;                               // links of a division that there is
  std::size_t steps = kLinkSteps;
};

struct TriedLinks {
  std::optional<std::vector<Domain>> node_of;  // of each rank, where that has fewer links than what was known
  Weight at_least = 0;                         // no division has fewer
  bool all = false;  // so few has the best of all; else steps ran out, or there is too much to try
};

[[nodiscard]] TriedLinks fewest_links(const LinksTask& task);

}  // namespace comity::place
