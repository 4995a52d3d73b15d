// SPDX-License-Identifier: BSD-3-Clause
// Network: what lies between nodes, as levels above them: a tree of switches (a list of them, or Slurm's: topology_conf.hpp), or a torus cut into blocks. Nodes stand in an order in which each switch or block has a run of them. Not: what
// it costs (objective.hpp).
// Invariant: `order` names each node once; the domains of each level are runs of nodes, and none crosses a border of the
// level before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "place/hosts.hpp"
#include "place/site.hpp"

namespace comity::place {

struct Network {
  std::vector<std::string> hosts;    // by position; empty: the network does not name nodes
  std::vector<std::uint32_t> order;  // the node at each position
  std::vector<Level> levels;         // with positions of nodes in place of places; the coarsest first
  std::vector<std::uint32_t> torus;  // its extents; empty: a tree
};

// One line of topology.conf.
struct Switch {
  std::string name;
  std::vector<std::string> switches = {};  // below it
  std::vector<std::string> nodes = {};
};

// `name` is what errors call the description. Throws Status::argument for a tree that is none.
[[nodiscard]] Network switch_tree(const std::vector<Switch>& switches, const std::string& name);

// Nodes are cells in row-major order. Blocks are halves in every direction, and halves of these. Throws Status::range.
[[nodiscard]] Network torus_network(const std::vector<std::uint32_t>& extents, const std::string& name = "the network");

// The same for these hosts alone, which are the nodes 0, 1, ..; others have nothing of this job. Throws Status::not_found
// for a host that the network does not have.
[[nodiscard]] Network network_of(const Network& network, const std::vector<Host>& hosts, const std::string& name);

// The nodes in the network's order.
[[nodiscard]] std::vector<NodeRun> in_order(const std::vector<NodeRun>& nodes, const std::vector<std::uint32_t>& order);

// Links on a shortest way between two nodes of a torus. Where each node is is worked out once: many ways are asked for.
class TorusWays {
 public:
  explicit TorusWays(const std::vector<std::uint32_t>& extents);

  [[nodiscard]] std::uint32_t links(std::uint32_t a, std::uint32_t b) const {
    const std::size_t count = extents_.size();
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t one = at_[a * count + i], other = at_[b * count + i];
      const std::uint32_t way = one > other ? one - other : other - one;
      all += std::min(way, extents_[i] - way);
    }
    return all;
  }

 private:
  std::vector<std::uint32_t> extents_;
  std::vector<std::uint32_t> at_;  // of each node one number a dimension
};

}  // namespace comity::place
