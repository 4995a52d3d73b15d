// SPDX-License-Identifier: BSD-3-Clause
// Seats: where the processes of a running job are, and which of them should have which rank. Ranks change, processes
// stay. Not: how processes learn of one another (mpi), nor launching (launchers.hpp).
// Invariant: the new order is never worse than the one that the job came with, which stays where nothing is better; equal
// seats and questions give equal orders.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "place/mapper.hpp"
#include "place/named_costs.hpp"

namespace comity::place {

inline constexpr std::int32_t kNoObject = -1;

// Of one process.
struct Seat {
  std::uint64_t node;     // equal for those that share one
  std::int32_t position;  // where on its node it may run: the first PU, in the machine's order
  std::array<std::int32_t, kLevelTypes.size()> enclosing;  // the object of each type that it cannot leave, or kNoObject
};

// The places of a running job: node after node in the order of their lowest ranks, in a node by position. A type of
// object divides a node if each process of the node is kept inside one.
struct Seating {
  Site site;
  std::vector<Rank> rank_at;  // whose place it is
};

[[nodiscard]] Seating seating_of(std::span<const Seat> seats);

struct Reordering {
  std::vector<std::int32_t>
      new_rank;                     // of each process by its old one; kNoRank for those that a smaller job leaves out
  Cut before, after;                // the first so many processes in their own order, and the new order
  std::vector<std::string> levels;  // their names, as of a site
  std::vector<Bound> bounds;        // of the new order, a level each
  double time = 0, least_time = 0;  // of the new order, as Aim::time counts it, and of any
};

inline constexpr std::int32_t kNoRank = -1;

// As mapped(); a job with fewer ranks than there are processes leaves some out. `costs`: of Aim::time, in the place of the objective's.
[[nodiscard]] Reordering reordered(const Graph& graph, const Grid* grid, std::span<const Seat> seats,
                                   const Objective& objective = {}, const NamedCosts& costs = {});

}  // namespace comity::place
