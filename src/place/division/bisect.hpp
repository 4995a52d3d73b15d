// SPDX-License-Identifier: BSD-3-Clause
// Bisect: a graph into parts of exact sizes by halving it again and again; each time the graph is made coarse, halved,
// and made fine again with its halves (multilevel recursive bisection, Karypis and Kumar 1998). Not: more than a good
// start (anneal.hpp goes on).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "place/job/graph.hpp"
#include "place/progress.hpp"
#include "place/site.hpp"

namespace comity::place {

// How often a graph of so many ranks may be halved in another way each, for the best: often where it is small.
[[nodiscard]] std::size_t usual_tries(std::size_t ranks);

// The part of each rank; sizes[p] ranks are in part p. The sizes add up to the ranks of the graph. Each half is the best
// of `tries`. `widths`: of each rank; sizes are sums of widths then, and parts are near them only. Empty: all are 1. `portions`: of what
// is halved, all pieces together.
[[nodiscard]] std::vector<Domain> bisected(const Graph& graph, std::span<const std::size_t> sizes, std::size_t tries,
                                           std::span<const std::uint32_t> widths = {}, const Portions& portions = {});

// All ranks, breadth first from a rank at the rim of each connected piece.
[[nodiscard]] std::vector<Rank> breadth_first(const Graph& graph);

// The same depth first: along chains and around rings.
[[nodiscard]] std::vector<Rank> depth_first(const Graph& graph);

}  // namespace comity::place
