// SPDX-License-Identifier: BSD-3-Clause
// Spare: how many of a job's ranks each node takes, where they do not fill all places; with unequal threads how many cores of them. What
// looks good is chosen, by what boxes of so many cells show, or by one halving of a graph. Not: which is best (some.hpp).
// Invariant: the shares add up to what is shared, and none exceeds its node's room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "place/job/grid.hpp"
#include "place/objective.hpp"
#include "place/site.hpp"

namespace comity::place {

using Shares = std::vector<std::size_t>;  // of each node

[[nodiscard]] Shares filled_in_order(std::span<const std::uint32_t> rooms, std::size_t total);

// Of so many nodes, the first ones, as even as these have room. They must have room for all.
[[nodiscard]] Shares even_shares(std::span<const std::uint32_t> rooms, std::size_t total, std::size_t nodes);

// So many as each node has of all room; more than that where the total is more than all.
[[nodiscard]] Shares in_proportion(std::span<const std::uint32_t> rooms, std::size_t total);

// How many of the first nodes have room for so many.
[[nodiscard]] std::size_t fewest_nodes(std::span<const std::uint32_t> rooms, std::size_t total);

// All numbers of nodes from the fewest on that differ in the largest share of a node; thinned out to `most` of them.
[[nodiscard]] std::vector<std::size_t> node_counts(std::span<const std::uint32_t> rooms, std::size_t total,
                                                   std::size_t most);

// Ways for a job of fewer ranks than places: in order, even on the fewest and on all nodes, in proportion where nodes are not alike, and
// even on one or two numbers of nodes between: of a small job one that looks best by each aim, of a large one by this aim.
[[nodiscard]] std::vector<Shares> shares_to_try(const Graph& graph, const Grid* grid,
                                                std::span<const std::uint32_t> rooms, Aim aim);

// [places] of each node of a site.
[[nodiscard]] std::vector<std::uint32_t> rooms_of(const Site& site);

// The first places of each node, so many as its share is; ascending, as Site::only wants them.
[[nodiscard]] std::vector<Place> places_of(const Site& site, const Shares& shares);

}  // namespace comity::place
