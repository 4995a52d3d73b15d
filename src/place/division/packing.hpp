// SPDX-License-Identifier: BSD-3-Clause
// Packing: ranks of unequal width into bins with so much room each, such that few exchanges cross. Heuristic: several
// first packings, then moves and swaps as long as they pay, limited by a count of steps. Not: what the bins are
// (uneven.hpp).
// Invariant: no bin holds more than its room; equal input, equal answer.
#pragma once

#include <optional>
#include <vector>

#include "place/cut.hpp"
#include "place/job/graph.hpp"

namespace comity::place {

enum class Spare : std::uint8_t { worst_bin, sum };  // what is to be small first

struct PackingTask {
  const Graph& graph;
  const std::vector<Rank>& items;           // ascending
  const std::vector<std::uint32_t>& width;  // of each rank of the graph
  const std::vector<std::uint32_t>& rooms;  // of each bin
  Spare spare = Spare::worst_bin;
};

// The bin of each item; none: no packing was found.
[[nodiscard]] std::optional<std::vector<Domain>> packed(const PackingTask& task);

}  // namespace comity::place
