// SPDX-License-Identifier: BSD-3-Clause
// Arrange: which node takes the ranks that another one has, so that what nodes exchange goes short ways. Whole nodes of one
// shape change places as long as that pays. Not: which ranks share a node (mapper.hpp).
// Invariant: the same ranks share a node afterwards, and the sum of weight times way is never more than before; work is limited by
// a count of steps.
#pragma once

#include <functional>
#include <vector>

#include "place/cut.hpp"
#include "place/objective.hpp"
#include "place/progress.hpp"

namespace comity::place {

// How nodes lie to one another, by their places in the site.
struct Neighbourhood {
  std::function<double(Domain one, Domain other)> way;   // 0 from a node to itself, the same both ways
  std::function<std::vector<Domain>(Domain node)> near;  // worth trying to be at, for one that exchanges with this node
};

// Of nodes below a tree of switches: the outermost level that parts two of them counts first, or by what it costs. Worth trying are those below
// the same switch. Refers to both.
[[nodiscard]] Neighbourhood neighbourhood_in(const Site& site, const Objective& objective);

// Of each node a number, equal for those whose ranks can change places: they have the same borders of all levels inside.
[[nodiscard]] std::vector<std::size_t> kinds_of_nodes(const Site& site);

// What nodes exchange, as a graph of them. `node_of`: of each rank.
[[nodiscard]] Graph between_nodes(const Graph& graph, const std::vector<Domain>& node_of, std::size_t nodes);

struct Arranged {
  Mapping mapping;
  double before, after;  // how far exchanges between nodes go, each as often as its weight says
};

// `mapping`: of first places; ranks keep their places inside the node.
[[nodiscard]] Arranged arranged(const Graph& graph, const Site& site, const Mapping& mapping,
                                const Neighbourhood& neighbourhood, const Portions& portions = {});

}  // namespace comity::place
