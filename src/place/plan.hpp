// SPDX-License-Identifier: BSD-3-Clause
// Plan: a mapping in the words of launchers: of each rank the node, its turn among the ranks of that node, and the
// hardware threads of each of its threads. Not: how launchers are told (cli/place/launch), nor which mapping is good
// (mapper.hpp).
// Invariant: every core has one rank at most.
#pragma once

#include <cstdint>
#include <vector>

#include "place/cut.hpp"
#include "place/site.hpp"

namespace comity::place {

struct RankSeat {
  std::uint32_t node = 0;     // as the nodes were named, from 0
  std::uint32_t local = 0;    // its turn among the node's ranks, by rank
  std::uint32_t first = 0;    // of its cores, in the order of the node's shape
  std::uint32_t threads = 1;  // and cores
};

class Plan {
 public:
  // `site` was made of `nodes`, in `order` if that is not empty: the node at each position. Rank r has threads[r]
  // threads, or each has threads[0].
  Plan(const std::vector<NodeRun>& nodes, const std::vector<std::uint32_t>& order, const Site& site,
       const Mapping& mapping, const std::vector<std::uint32_t>& threads);

  [[nodiscard]] std::size_t ranks() const { return seats_.size(); }
  [[nodiscard]] const RankSeat& seat(Rank rank) const { return seats_[rank]; }
  [[nodiscard]] std::uint32_t most_threads() const;
  [[nodiscard]] std::size_t threads() const;  // of all ranks

  [[nodiscard]] std::size_t nodes() const { return kind_of_.size(); }  // also those without ranks
  [[nodiscard]] const NodeShape& shape(std::uint32_t node) const { return kinds_[kind_of_[node]]; }
  [[nodiscard]] const std::vector<std::vector<Rank>>& ranks_of_nodes() const { return ranks_; }

  // The core of each thread of a rank, in the order of threads.
  [[nodiscard]] std::vector<CoreSeat> cores(Rank rank) const;
  [[nodiscard]] CpuSet cpus(Rank rank) const;
  // The rank's first core: the cores of all nodes before its own, and then its number there.
  [[nodiscard]] std::size_t place(Rank rank) const;

 private:
  std::vector<NodeShape> kinds_;
  std::vector<std::uint32_t> kind_of_;     // of each node
  std::vector<std::size_t> cores_before_;  // of each node: those of all nodes before
  std::vector<RankSeat> seats_;            // of each rank
  std::vector<std::vector<Rank>> ranks_;   // of each node, ascending
};

}  // namespace comity::place
