// SPDX-License-Identifier: BSD-3-Clause
// Wander: makes a division of a small job better. Ranks move one by one, or two change places, and nodes may hold more than their room
// meanwhile, at a price that rises; worse ones are taken too, ever more rarely (simulated annealing with a penalty, Johnson, Aragon,
// McGeoch, Schevon 1989). What each rank exchanges with each node is kept, so that a move that is not made costs little. Not: large jobs,
// for which that table is too large (anneal.hpp, roam.hpp), nor where to start (seek.hpp).
// Invariant: the answer fits, and is never worse than what came in if that fits. Equal input, equal answer: moves are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "place/division/anneal.hpp"
#include "place/division/coarse.hpp"

namespace comity::place {

struct Wandering {
  Wanted wanted = Wanted::least_sum;
  std::uint64_t moves = 0;  // tried
  std::uint64_t seed = 1;
  double heat = 1.0;  // at the beginning [of what a move changes]
  Weight worst = std::numeric_limits<
      Weight>::max();  // of the worst node: what is aimed below, or below what came in if that has less
};

// `rooms`: how many ranks each node may hold. False where what came in did not fit and nothing that fits was met; `part` is as it was then.
bool wander(const Graph& graph, std::vector<Domain>& part, std::span<const std::uint32_t> rooms, const Wandering& how);

// The same of ranks that stand for several each, who seldom fit exactly: `part` is as it is at the end, for who goes on from there.
void wander_coarsely(const SizedGraph& sized, std::vector<Domain>& part, std::span<const std::uint32_t> rooms,
                     const Wandering& how);

}  // namespace comity::place
