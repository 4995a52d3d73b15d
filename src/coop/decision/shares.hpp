// SPDX-License-Identifier: BSD-3-Clause
// Shares: where the teams of a node's ranks outnumber its cores each rank computes on a part of its own, for a team that is torn over
// cores which others need too waits at each region for the member that has to wait for a core. What a rank leaves while it waits in MPI
// for long the others use meanwhile. Pure. Not: who waits for long (rests), and moving threads (teams).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/cpu_set.hpp"
#include "coop/decision/crowd.hpp"

namespace comity::coop {

// `order`: CPUs, those that share more nearer one another. By rank, disjoint, equally large, one where the rank's mask begins if the masks
// differ. Empty: somebody wants a place of its own, or the ranks reach different cores, have no teams or different ones, do not divide
// the cores, or do not crowd them.
[[nodiscard]] std::vector<CpuSet> shares_of(std::span<const RankFacts> ranks, std::span<const std::size_t> order);

// The ranks of a node as they count on one another.
struct Neighbours {
  struct Rank {
    CpuSet own;  // its share, or where it may run
    std::uint32_t threads;
  };
  std::vector<Rank> ranks;
  bool have_shares = false;
};

// What a rank has while some wait for long.
struct Room {
  CpuSet cores;   // its own, and the shares of those that wait
  bool suffices;  // for a core for each thread of all ranks that use any of them
};

// waits(r): whether rank r does.
[[nodiscard]] Room room_of(std::size_t rank, const Neighbours& all, const std::function<bool(std::size_t rank)>& waits);

}  // namespace comity::coop
