// SPDX-License-Identifier: BSD-3-Clause
// Victims: whom a hart steals from, those of its own NUMA node before all others. Not: which of them first (stealing, by chance).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace comity::sched {

struct Victims {
  std::vector<std::size_t> near;  // harts of the same node
  std::vector<std::size_t> far;
};

// `nodes`: the node of each hart.
[[nodiscard]] inline Victims victims_of(std::size_t hart, std::span<const int> nodes) {
  Victims victims;
  for (std::size_t other = 0; other < nodes.size(); ++other) {
    if (other == hart) continue;
    (nodes[other] == nodes[hart] ? victims.near : victims.far).push_back(other);
  }
  return victims;
}

}  // namespace comity::sched
