// SPDX-License-Identifier: BSD-3-Clause
// NodeShape: one node's cores, the numbers that launchers and the kernel have for them, and the levels that lie between them. Not: reading
// topologies (machine), nor the places that several nodes give (site.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/machine.hpp"

namespace comity::place {

using Place = std::uint32_t;

// Types that may tell cores apart. Which of them is coarser differs between machines.
inline constexpr std::array kLevelTypes{machine::ObjectType::package, machine::ObjectType::numa,
                                        machine::ObjectType::l3, machine::ObjectType::l2};

struct Level {
  std::string name;          // names of a network, "node", then names of machine::ObjectType
  std::vector<Place> first;  // the first place of each domain, and at the end the number of places

  [[nodiscard]] std::size_t domains() const { return first.size() - 1; }
  [[nodiscard]] std::size_t size(std::size_t domain) const { return first[domain + 1] - first[domain]; }
  [[nodiscard]] std::vector<std::size_t> sizes() const;  // of all domains
};

// Where a core is in its node, by the numbers that launchers and the kernel have for it.
struct CoreSeat {
  std::uint32_t number = 0;      // among the cores of the node that the job may use
  std::uint32_t package = 0;     // logical, as hwloc counts
  std::uint32_t in_package = 0;  // the core's logical number in its package, missing ones counted
  std::uint32_t slot = 0;   // its logical number in the node, missing ones counted, as Open MPI 5 has it: where the
  std::uint32_t slots = 1;  // node's first core has one hardware thread alone, these are counted, and it has so many
  CpuSet cpus = {};         // its hardware threads
  std::optional<int> numa = {};  // the kernel's number of the memory next to it
};

// One node's cores and what lies between them.
struct NodeShape {
  std::uint32_t cores = 0;
  std::vector<Level> levels = {};    // with core numbers of the node in place of places
  std::vector<Level> untold = {};    // and those that tell no more of this node, which other nodes may need (site.hpp)
  std::vector<CoreSeat> seats = {};  // of each core; empty: nobody has told
  std::uint32_t idle = 0;            // cores besides, which the job has and no rank can
  std::optional<std::uint32_t> most_ranks = {};  // it may have so many, on whatever cores; none: as many as find room

  // Core n is CPU n of one package where nobody has told.
  [[nodiscard]] CoreSeat seat(Place core) const;
};

// The levels of a machine that tell cores apart: types with several objects, coarsest first; types that cut alike are told once. Caches of
// one core each tell what cores do, and are no level; packages and NUMA nodes of one core are, for they are what costs and limits go by.
[[nodiscard]] NodeShape node_shape(const machine::Machine& machine);
// The same of a description as `lstopo -i` takes it; "pu:1" may be left out.
[[nodiscard]] NodeShape node_shape(const std::string& synthetic);
// All levels that a node has, those too that tell no more of it than others.
[[nodiscard]] std::vector<Level> coarsest_first(const NodeShape& shape);
// The node without some of its cores, by their numbers in it. Throws Status::range for a core that it does not have, or
// if none is left.
[[nodiscard]] NodeShape without_cores(const NodeShape& shape, const CpuSet& cores);

// Cores in such an order that a rank of so many threads has as many in each domain of the outermost level: what ranks of
// a node exchange stays inside domains then, so none of its levels parts them (figure 6 b of the paper). Throws
// Status::range where they do not divide.
[[nodiscard]] NodeShape spread(const NodeShape& shape, std::uint32_t threads);
// For how many threads to spread it so that ranks of any multiple of that lie as evenly, one behind the other.
[[nodiscard]] std::uint32_t narrowest_spread(const NodeShape& shape);

// A node of so many cores that these levels divide, in any order; those that cut alike are told once, under the first one's name. Levels of
// no border at all say where the type stands among the others.
[[nodiscard]] NodeShape node_shape(std::uint32_t cores, std::vector<Level> levels);

// So many nodes alike, side by side.
struct NodeRun {
  std::size_t nodes;
  NodeShape shape;
};

}  // namespace comity::place
