// SPDX-License-Identifier: BSD-3-Clause
// Gathering: everybody's bytes come to one rank by the ways of a merge: a node's ranks send to its leader, leaders pass on in a
// binary tree, one message a rank, so that no rank hears from more than its node and a few leaders.
#pragma once

#include <cstdint>
#include <vector>

#include "record/merge/exchange.hpp"

namespace comity::record {

inline constexpr int kGatherer = 0;

// Collective. There: those of all, by rank; elsewhere nothing. `node_of_rank` is the same on all.
[[nodiscard]] std::vector<Bytes> gather(Exchange& exchange, const std::vector<std::uint32_t>& node_of_rank, Bytes mine);

}  // namespace comity::record
