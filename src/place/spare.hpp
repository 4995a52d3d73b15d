// SPDX-License-Identifier: BSD-3-Clause
// Spare: how many of a job's ranks each node takes, where they do not fill all places; with unequal threads how many cores of them. What
// looks good is chosen, by what boxes of so many cells show, or by one halving of a graph. Not: which is best (some.hpp).
// Invariant: the shares add up to what is shared, and none exceeds its node's room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "place/division/boxes.hpp"
#include "place/job/grid.hpp"
#include "place/objective.hpp"
#include "place/site.hpp"

namespace comity::place {

using Shares = std::vector<std::size_t>;  // of each node

[[nodiscard]] bool nodes_differ(std::span<const std::uint32_t> rooms);

// The numbers of the nodes, those with most room first; of alike ones the first first.
[[nodiscard]] std::vector<std::size_t> largest_first(std::span<const std::uint32_t> rooms);

// Of each node what the one at its place in such an order has.
[[nodiscard]] Shares back_in_order(const Shares& shares, const std::vector<std::size_t>& order);

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

// Even on each of these numbers of nodes, or on many of them.
[[nodiscard]] std::vector<Shares> all_even_shares(std::size_t ranks, std::span<const std::uint32_t> rooms);

// The best boxes (division/boxes.hpp) of a grid for each number of nodes that there are such for; none where nodes are not alike.
[[nodiscard]] std::vector<Boxes> boxes_on_alike(const Grid* grid, std::span<const std::uint32_t> rooms);

// Ways for a job of fewer ranks than places: in order, even on the fewest and on all nodes, in proportion where nodes are not alike, and
// even on one or two numbers of nodes between: of a small job one that looks best by each aim, of a large one that which looks better than the ends by this aim.
[[nodiscard]] std::vector<Shares> shares_to_try(const Graph& graph, const Grid* grid,
                                                std::span<const std::uint32_t> rooms, Aim aim);

// More ways where nodes are not alike: in order and even with the largest nodes first, so that fewer take part; and even on numbers of
// nodes that look best to a graph, of a grid too, for the largest share alone does not tell what the others cut. Some may be known.
[[nodiscard]] std::vector<Shares> more_shares_of_unlike(const Graph& graph, const Grid* grid,
                                                        std::span<const std::uint32_t> rooms, Aim aim);

// [places] of each node of a site.
[[nodiscard]] std::vector<std::uint32_t> rooms_of(const Site& site);

// The first places of each node, so many as its share is; ascending, as Site::only wants them.
[[nodiscard]] std::vector<Place> places_of(const Site& site, const Shares& shares);

}  // namespace comity::place
