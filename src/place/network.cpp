// SPDX-License-Identifier: BSD-3-Clause
#include "place/network.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "place/host_names.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostDepth = 16;  // of a tree
constexpr std::size_t kMostTorusNodes = std::size_t{1} << 18U;
constexpr std::size_t kMostTorusDimensions = 8;

using Path = std::vector<std::size_t>;  // of a node: its switches, from the top

// Levels of nodes, where is_border(position, depth) says whether a domain begins there. Those that divide nothing more
// are left out.
template <typename IsBorder>
std::vector<Level> levels_of(std::size_t nodes, std::size_t depths, IsBorder&& is_border) {
  std::vector<Level> levels;
  std::vector<Place> before{0, static_cast<Place>(nodes)};
  for (std::size_t depth = 0; depth < depths; ++depth) {
    std::vector<Place> borders;
    for (std::size_t position = 1; position < nodes; ++position) {
      if (is_border(position, depth)) borders.push_back(static_cast<Place>(position));
    }
    std::vector<Place> merged;
    std::set_union(before.begin(), before.end(), borders.begin(), borders.end(), std::back_inserter(merged));
    const bool each_node_alone = merged.size() == nodes + 1;
    if (merged.size() == before.size() || each_node_alone) continue;
    levels.push_back({"", merged});
    before = std::move(merged);
  }
  return levels;
}

// "switch" is next to the nodes, "switch2" above it.
void name_levels(std::vector<Level>& levels, const std::string& name) {
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::size_t height = levels.size() - level;
    levels[level].name = height == 1 ? name : name + std::to_string(height);
  }
}

class Tree {
 public:
  Tree(const std::vector<Switch>& switches, const std::string& name) : switches_(switches), name_(name) {}

  Network make() {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      require_a_name(switches_[i].name);
      if (!numbers_.emplace(switches_[i].name, i).second) refuse("switch " + switches_[i].name + " is told twice");
    }
    find_parents();
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (!parent_.contains(i)) descend(i, {});
    }
    if (visited_ < switches_.size()) refuse("some switches are below themselves");
    if (network_.hosts.empty()) refuse("no switch has a node");
    network_.order.resize(network_.hosts.size());
    std::iota(network_.order.begin(), network_.order.end(), 0U);
    std::size_t depths = 0;
    for (const Path& path : paths_) depths = std::max(depths, path.size());
    const auto switch_at = [&](std::size_t position, std::size_t depth) {
      return paths_[position][std::min(depth, paths_[position].size() - 1)];
    };
    network_.levels = levels_of(paths_.size(), depths, [&](std::size_t position, std::size_t depth) {
      return switch_at(position, depth) != switch_at(position - 1, depth);
    });
    name_levels(network_.levels, "switch");
    return std::move(network_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw Error(Status::argument, name_ + ": " + why); }

  // A list as its name ("s[1-2]") would be one switch, which no other can name.
  void require_a_name(const std::string& name) const {
    if (!name.empty() && name.find_first_of("[], \t\r\n") == std::string::npos && is_visible(name)) return;
    refuse(in_quotes(name) + " is no name of a switch; each has one of its own, without blanks, commas and brackets");
  }

  void find_parents() {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      const Switch& own = switches_[i];
      if (own.switches.empty() && own.nodes.empty()) refuse("switch " + own.name + " has neither switches nor nodes");
      for (const std::string& child : own.switches) {
        const auto found = numbers_.find(child);
        if (found == numbers_.end()) {
          refuse("switch " + own.name + " is above switch " + child + ", of which no line tells");
        }
        if (!parent_.emplace(found->second, i).second) refuse("switch " + child + " is below two switches");
      }
    }
  }

  void descend(std::size_t number, Path path) {
    ++visited_;
    path.push_back(number);
    if (path.size() > kMostDepth) refuse("the tree has more than " + std::to_string(kMostDepth) + " levels");
    for (const std::string& node : switches_[number].nodes) {
      if (!hosts_.emplace(node, number).second) refuse("node " + node + " is at two switches");
      network_.hosts.push_back(node);
      paths_.push_back(path);
    }
    for (const std::string& child : switches_[number].switches) descend(numbers_.at(child), path);
  }

  const std::vector<Switch>& switches_;
  const std::string& name_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::unordered_map<std::size_t, std::size_t> parent_;
  std::unordered_map<std::string, std::size_t> hosts_;
  std::size_t visited_ = 0;
  std::vector<Path> paths_;  // of each node
  Network network_;
};

[[noreturn]] void refuse_untold(const std::string& name, const std::string& host) {
  throw Error(Status::not_found,
              name + " does not tell at which switch host " + host + " is; add it, or leave the host out");
}

[[noreturn]] void refuse_doubtful(const std::string& name, const std::string& host, const std::string& one,
                                  const std::string& other) {
  throw Error(Status::argument, name + ": host " + host + " may be " + one + " or " + other + "; write its whole name");
}

[[noreturn]] void refuse_both(const std::string& name, const std::string& one, const std::string& other,
                              const std::string& told) {
  throw Error(Status::argument,
              name + ": hosts " + one + " and " + other + " are both " + told + " there; write whole names in it");
}

// The number of the host at each position of the network; none: it is not in the job.
std::vector<std::optional<std::uint32_t>> nodes_at(const Network& network, const std::vector<Host>& hosts,
                                                   const std::string& name) {
  const HostNames names(network.hosts);
  std::vector<std::optional<std::uint32_t>> node_at(network.hosts.size());
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    const std::string& host = hosts[node].name;
    const std::vector<std::size_t> found = names.find(host);
    if (found.empty()) refuse_untold(name, host);
    if (found.size() > 1) refuse_doubtful(name, host, network.hosts[found[0]], network.hosts[found[1]]);
    std::optional<std::uint32_t>& at = node_at[found.front()];
    if (at) refuse_both(name, hosts[*at].name, host, network.hosts[found.front()]);
    at = static_cast<std::uint32_t>(node);
  }
  return node_at;
}

}  // namespace

Network switch_tree(const std::vector<Switch>& switches, const std::string& name) {
  if (switches.empty()) throw Error(Status::argument, name + " tells of no switch");
  return Tree(switches, name).make();
}

Network torus_network(const std::vector<std::uint32_t>& extents, const std::string& name) {
  std::size_t nodes = 1;
  for (const std::uint32_t extent : extents) {
    nodes = extent == 0 || nodes > kMostTorusNodes / extent ? 0 : nodes * extent;
    if (nodes == 0) break;
  }
  if (extents.empty() || extents.size() > kMostTorusDimensions || nodes == 0) {
    throw Error(Status::range, name + ": a torus has 1 to 8 extents from 1 on, and at most " +
                                   std::to_string(kMostTorusNodes) + " nodes");
  }
  std::size_t depths = 0;  // until each extent is cut to one node
  for (const std::uint32_t extent : extents) {
    std::size_t halves = 0;
    while ((std::uint64_t{1} << halves) < extent) ++halves;
    depths = std::max(depths, halves);
  }
  // The half of each direction at each depth, the coarsest first: as digits they sort the nodes by blocks.
  const auto block_of = [&](std::uint32_t node) {
    std::vector<std::uint32_t> digits(depths * extents.size(), 0);
    for (std::size_t i = extents.size(); i-- > 0; node /= extents[i]) {
      std::uint32_t low = 0, high = extents[i];
      const std::uint32_t at = node % extents[i];
      for (std::size_t depth = 0; depth < depths && high - low > 1; ++depth) {
        const std::uint32_t middle = low + (high - low + 1) / 2;
        digits[depth * extents.size() + i] = at >= middle ? 1 : 0;
        (at >= middle ? low : high) = middle;
      }
    }
    return digits;
  };
  std::vector<std::pair<std::vector<std::uint32_t>, std::uint32_t>> sorted;
  for (std::uint32_t node = 0; node < nodes; ++node) sorted.emplace_back(block_of(node), node);
  std::sort(sorted.begin(), sorted.end());
  Network network;
  network.torus = extents;
  for (const auto& [digits, node] : sorted) network.order.push_back(node);
  network.levels = levels_of(nodes, depths, [&](std::size_t position, std::size_t depth) {
    const std::vector<std::uint32_t>& own = sorted[position].first;
    const auto end = own.begin() + static_cast<std::ptrdiff_t>((depth + 1) * extents.size());
    return !std::equal(own.begin(), end, sorted[position - 1].first.begin());
  });
  name_levels(network.levels, "block");
  return network;
}

Network network_of(const Network& network, const std::vector<Host>& hosts, const std::string& name) {
  const std::vector<std::optional<std::uint32_t>> node_at = nodes_at(network, hosts, name);
  Network result;
  std::vector<Place> kept{0};  // positions before each that stay
  for (std::size_t position = 0; position < node_at.size(); ++position) {
    kept.push_back(kept.back() + (node_at[position] ? 1 : 0));
    if (!node_at[position]) continue;
    result.hosts.push_back(network.hosts[position]);
    result.order.push_back(*node_at[position]);
  }
  for (const Level& level : network.levels) {
    std::vector<Place> borders;
    for (const Place border : level.first) {
      if (borders.empty() || kept[border] != borders.back()) borders.push_back(kept[border]);
    }
    const bool divides = borders.size() > 2 && borders.size() < result.order.size() + 1;
    if (divides && (result.levels.empty() || result.levels.back().first != borders)) {
      result.levels.push_back({level.name, std::move(borders)});
    }
  }
  return result;
}

std::vector<NodeRun> in_order(const std::vector<NodeRun>& nodes, const std::vector<std::uint32_t>& order) {
  std::vector<std::size_t> ends;  // of runs
  ends.reserve(nodes.size());
  for (const NodeRun& run : nodes) ends.push_back((ends.empty() ? 0 : ends.back()) + run.nodes);
  std::vector<NodeRun> result;
  std::optional<std::ptrdiff_t> before;
  for (const std::uint32_t node : order) {
    const std::ptrdiff_t run = std::upper_bound(ends.begin(), ends.end(), std::size_t{node}) - ends.begin();
    if (run == before) {
      ++result.back().nodes;
    } else {
      result.push_back({1, nodes[static_cast<std::size_t>(run)].shape});
    }
    before = run;
  }
  return result;
}

TorusWays::TorusWays(const std::vector<std::uint32_t>& extents) : extents_(extents) {
  std::size_t nodes = 1;
  for (const std::uint32_t extent : extents) nodes *= extent;
  at_.reserve(nodes * extents.size());
  std::vector<std::uint32_t> at(extents.size(), 0);
  for (std::size_t node = 0; node < nodes; ++node) {
    at_.insert(at_.end(), at.begin(), at.end());
    for (std::size_t i = extents.size(); i-- > 0;) {
      if (++at[i] < extents[i]) break;
      at[i] = 0;
    }
  }
}

}  // namespace comity::place
