// SPDX-License-Identifier: BSD-3-Clause
// Site: the machine as the mapper sees it: places in a row, and levels that cut the row into domains, the costliest
// boundary first (what a network has above nodes, nodes, then packages, NUMA nodes, caches). A place takes one rank: a
// core, or as many cores as a rank has threads. Not: reading topologies (machine), nor what ranks exchange (graph.hpp).
// Invariant: the domains of each level are runs of places without gaps, none empty, and none crosses a border of the
// level before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "place/node_shape.hpp"

namespace comity::place {

using Domain = std::uint32_t;

inline constexpr std::string_view kNodeLevel = "node";  // the name of that level

// Inside how many of the levels that nodes have, the coarser first, the cores of one place lie together.
using LevelsKept = std::size_t;
inline constexpr LevelsKept kAllLevels = std::numeric_limits<LevelsKept>::max();

class Site {
 public:
  // One place a core, or for each `threads` cores that lie together: inside one domain of the innermost level that has so many.
  // Levels are those that one node at least tells of; nodes that have no objects of one are one domain of it. Throws Status::range where there is no place. `kept`: inside domains of so many levels
  // only; at the others places lie one behind the other, and one that lies across a border is where its first core is.
  // `above`: levels of a network, with nodes in place of places; `order`: the number that each node has outside, if these differ.
  explicit Site(const std::vector<NodeRun>& nodes, std::uint32_t threads = 1, const std::vector<Level>& above = {},
                const std::vector<std::uint32_t>& order = {}, LevelsKept kept = kAllLevels);

  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  [[nodiscard]] std::size_t places() const { return levels_.front().first.back(); }
  // Domains of the outermost level: nodes, where no network lies above them.
  [[nodiscard]] std::size_t nodes() const { return levels_.front().domains(); }
  // The place of "node" among the levels.
  [[nodiscard]] std::size_t node_level() const { return node_level_; }
  // The nodes as launchers take them in turn, by the numbers that they have outside: domains of the node level.
  [[nodiscard]] std::vector<Domain> nodes_in_turn() const;
  // The number that a node has outside.
  [[nodiscard]] std::uint32_t number_of(Domain node) const { return numbers_.empty() ? node : numbers_[node]; }
  // The first core of a place, counted over all nodes.
  [[nodiscard]] std::uint32_t core(Place place) const { return cores_.empty() ? place : cores_[place]; }
  // The domain of each place at a level.
  [[nodiscard]] const std::vector<Domain>& domain_of(std::size_t level) const { return domain_of_[level]; }

  // The site without its other places. `places`: ascending, at least one; place n is then the n-th of them.
  [[nodiscard]] Site only(const std::vector<Place>& places) const;
  // The same nodes in the same order, with nothing above them.
  [[nodiscard]] Site without_network() const;
  // One domain of a level above the nodes, and what is in it: its outermost level is the next one.
  [[nodiscard]] Site below(std::size_t level, Domain domain) const;
  // The domains of an inner level as nodes, in the same order, with what is inside them.
  [[nodiscard]] Site of_level(std::size_t level) const;

 private:
  Site() = default;
  void number_domains();
  void leave_out_above(std::size_t level);
  void add_above(const std::vector<Level>& above, const std::vector<Place>& node_ends);

  std::vector<Level> levels_;
  std::size_t node_level_ = 0;
  std::vector<std::uint32_t> numbers_;  // of nodes outside; empty: they stand in their order
  std::vector<std::uint32_t> cores_;    // empty: place n is core n
  std::vector<std::vector<Domain>> domain_of_;
};

}  // namespace comity::place
