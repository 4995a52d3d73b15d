// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/shares.hpp"

#include <algorithm>
#include <numeric>

namespace comity::coop {
namespace {

bool are_alike(std::span<const RankFacts> ranks) {
  const RankFacts& first = ranks.front();
  return std::ranges::all_of(ranks, [&](const RankFacts& rank) {
    return rank.is_free != 0 && rank.reach == first.reach && rank.threads == first.threads;
  });
}

// Of the mask's CPUs that which comes first in the order.
std::size_t begin_of(const CpuSet& mask, std::span<const std::size_t> order) {
  const auto first = std::ranges::find_if(order, [&](std::size_t cpu) { return mask.contains(cpu); });
  return static_cast<std::size_t>(first - order.begin());
}

}  // namespace

std::vector<CpuSet> shares_of(std::span<const RankFacts> ranks, std::span<const std::size_t> order) {
  if (ranks.size() < 2 || !are_alike(ranks)) return {};
  const CpuSet& all = ranks.front().reach;
  const std::size_t cores = all.count();
  const bool is_crowded_by_teams = ranks.front().threads > 1 && ranks.front().threads * ranks.size() > cores;
  if (!is_crowded_by_teams || cores < ranks.size() || cores % ranks.size() != 0) return {};

  std::vector<std::size_t> cpus;
  std::ranges::copy_if(order, std::back_inserter(cpus), [&](std::size_t cpu) { return all.contains(cpu); });
  if (cpus.size() != cores) return {};
  std::vector<std::size_t> turns(ranks.size());
  std::iota(turns.begin(), turns.end(), std::size_t{0});
  std::ranges::stable_sort(turns, {}, [&](std::size_t rank) { return begin_of(ranks[rank].mask, cpus); });
  const std::size_t of_each = cores / ranks.size();
  std::vector<CpuSet> shares(ranks.size());
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    for (std::size_t i = 0; i < of_each; ++i) shares[turns[turn]].insert(cpus[turn * of_each + i]);
  }
  return shares;
}

Room room_of(std::size_t rank, const Neighbours& all, const std::function<bool(std::size_t)>& waits) {
  CpuSet left;
  for (std::size_t other = 0; all.have_shares && other < all.ranks.size(); ++other) {
    if (waits(other)) left |= all.ranks[other].own;
  }
  Room room{all.ranks[rank].own | left, false};
  CpuSet used = room.cores;
  std::size_t threads = all.ranks[rank].threads;
  for (std::size_t other = 0; other < all.ranks.size(); ++other) {
    if (other == rank || waits(other)) continue;
    const CpuSet theirs = all.ranks[other].own | left;
    if (!theirs.intersects(room.cores)) continue;
    used |= theirs;
    threads += all.ranks[other].threads;
  }
  room.suffices = threads <= used.count();
  return room;
}

}  // namespace comity::coop
