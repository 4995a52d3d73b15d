// SPDX-License-Identifier: BSD-3-Clause
#include "coop/decision/crowd.hpp"

#include <algorithm>

namespace comity::coop {
namespace {

std::string number_of(std::uint32_t count, const std::string& thing) {
  return std::to_string(count) + ' ' + thing + (count == 1 ? "" : "s");
}

// Threads to a core, compared without rounding.
bool is_fuller(const Crowd& a, const Crowd& b) {
  return std::uint64_t{a.threads} * b.cores > std::uint64_t{b.threads} * a.cores;
}

std::string threads_of(const Crowd& crowd) {
  if (crowd.most_threads <= 1) return {};
  if (crowd.least_threads == crowd.most_threads) return " x " + number_of(crowd.most_threads, "thread");
  return " with " + number_of(crowd.threads, "thread");
}

}  // namespace

bool is_crowded(const Crowd& crowd) { return crowd.cores > 0 && crowd.threads > crowd.cores; }

std::string to_text(const Crowd& crowd) {
  return number_of(crowd.ranks, "rank") + threads_of(crowd) + " on " + number_of(crowd.cores, "core");
}

bool is_to_spread(const RankFacts& rank) {
  const std::size_t own = rank.mask.count();
  return own < rank.threads && rank.reach.count() > own;
}

NodeFacts sum_up(std::span<const RankFacts> ranks) {
  NodeFacts node;
  Crowd& crowd = node.crowd;
  CpuSet launched;
  CpuSet spread;
  for (const RankFacts& rank : ranks) {
    crowd.least_threads = crowd.ranks == 0 ? rank.threads : std::min(crowd.least_threads, rank.threads);
    crowd.most_threads = std::max(crowd.most_threads, rank.threads);
    crowd.threads += rank.threads;
    ++crowd.ranks;
    launched |= rank.mask;
    spread |= is_to_spread(rank) ? rank.reach : rank.mask;
    node.has_spinning_teams |= rank.has_spinning_team;
    node.has_tools |= rank.has_tool;
  }
  crowd.cores = static_cast<std::uint32_t>(launched.count());
  node.cores_spread = static_cast<std::uint32_t>(spread.count());
  return node;
}

bool has_idle_threads_in_the_way(const NodeFacts& node) {
  return node.crowd.most_threads > 1 && node.crowd.threads > node.cores_spread;
}

Verdict judge(std::span<const NodeFacts> nodes) {
  Verdict verdict{.crowded = false, .on = false, .rank = 0, .node = nodes.front()};
  for (std::size_t rank = 1; rank < nodes.size(); ++rank) {
    if (!is_fuller(nodes[rank].crowd, verdict.node.crowd)) continue;
    verdict.rank = rank;
    verdict.node = nodes[rank];
  }
  verdict.crowded = nodes.size() > 1 && is_crowded(verdict.node.crowd);
  verdict.on =
      verdict.crowded && std::ranges::none_of(nodes, [](const NodeFacts& node) { return node.has_tools != 0; });
  return verdict;
}

std::string to_text(const Verdict& verdict, const std::string& node_name) {
  const NodeFacts& node = verdict.node;
  const std::string where =
      verdict.rank == 0 ? " of node " + node_name : " of the node of rank " + std::to_string(verdict.rank);
  std::string text = (verdict.on ? "on: " : "off: ") + to_text(node.crowd) + where;
  if (verdict.crowded && !verdict.on)
    return text + ", but another tool would no longer see all calls of MPI; --coop on puts that aside";
  if (!verdict.on) return text;
  if (node.cores_of_a_share > 0)
    return text + ", a share of " + number_of(node.cores_of_a_share, "core") + " for each rank";
  if (node.cores_spread > node.crowd.cores) text += ", spread over " + number_of(node.cores_spread, "core");
  if (node.has_spinning_teams != 0 && has_idle_threads_in_the_way(node)) {
    text += "; idle threads of GNU's OpenMP spin there: set OMP_WAIT_POLICY=passive before the run";
  }
  return text;
}

}  // namespace comity::coop
