// SPDX-License-Identifier: BSD-3-Clause
// The ways of a merge: who leads each node, and the binomial tree over the leaders. Pure: the same on all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace comity::record {

struct MergeWays {
  int leader = 0;               // of my node: its lowest rank
  std::vector<int> node_ranks;  // the others of my node; for leaders only
  int parent = -1;              // leader to pass on to; -1: this is rank 0, or no leader
  std::vector<int> children;    // leaders that pass on to this one, in the order to receive from
  [[nodiscard]] bool leads(int rank) const { return leader == rank; }
};

[[nodiscard]] inline MergeWays ways_of(int rank, const std::vector<std::uint32_t>& node_of_rank) {
  MergeWays ways;
  std::vector<int> leaders;  // by rank, so that rank 0 is the first
  std::vector<std::uint32_t> led;
  const std::uint32_t my_node = node_of_rank[static_cast<std::size_t>(rank)];
  bool mine_found = false;
  for (std::size_t other = 0; other < node_of_rank.size(); ++other) {
    const auto number = static_cast<int>(other);
    if (node_of_rank[other] == my_node) {
      if (!mine_found) ways.leader = number;
      mine_found = true;
      if (number != rank) ways.node_ranks.push_back(number);
    }
    const std::uint32_t node = node_of_rank[other];
    if (led.size() <= node) led.resize(node + std::size_t{1});
    if (led[node]++ == 0) leaders.push_back(number);
  }
  if (!ways.leads(rank)) {
    ways.node_ranks.clear();
    return ways;
  }
  std::size_t place = 0;
  while (leaders[place] != rank) ++place;
  const std::size_t lowest_bit = place & (~place + 1);
  if (place != 0) ways.parent = leaders[place - lowest_bit];
  for (std::size_t step = 1; (place == 0 || step < lowest_bit) && place + step < leaders.size(); step *= 2) {
    ways.children.push_back(leaders[place + step]);
  }
  return ways;
}

}  // namespace comity::record
