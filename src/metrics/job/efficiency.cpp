// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/job/efficiency.hpp"

#include <algorithm>

namespace comity::metrics {
namespace {

constexpr double kLent = 1.02;  // of its share: what clocks that are read one after the other can make of a full one

double part(double of, double whole) { return whole > 0 ? std::clamp(of / whole, 0.0, 1.0) : 1.0; }

// Of each rank: useful time over its share of its node's processors for the whole stretch.
std::vector<double> parts_of_shares(const std::vector<Use>& ranks, const std::vector<int>& processors) {
  double wall_ns = 0;
  std::vector<int> ranks_on(processors.size());
  for (const Use& rank : ranks) {
    wall_ns = std::max(wall_ns, rank.wall_ns);
    ++ranks_on.at(static_cast<std::size_t>(rank.node));
  }
  std::vector<double> parts;
  parts.reserve(ranks.size());
  for (const Use& rank : ranks) {
    const auto node = static_cast<std::size_t>(rank.node);
    const double share = static_cast<double>(processors[node]) / ranks_on[node];
    parts.push_back(wall_ns > 0 ? rank.useful_ns / (share * wall_ns) : 0);
  }
  return parts;
}

double largest(const std::vector<double>& parts) {
  return parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end());
}

}  // namespace

Efficiency efficiency(const std::vector<Use>& ranks, const std::vector<int>& processors) {
  double wall_ns = 0;
  std::vector<double> useful_ns(processors.size());
  for (const Use& rank : ranks) {
    wall_ns = std::max(wall_ns, rank.wall_ns);
    useful_ns.at(static_cast<std::size_t>(rank.node)) += rank.useful_ns;
  }
  double all_ns = 0;
  double all_processors = 0;
  double busiest_node = 0;  // part of its processors' time
  for (std::size_t node = 0; node < processors.size(); ++node) {
    all_ns += useful_ns[node];
    all_processors += processors[node];
    busiest_node = std::max(busiest_node, part(useful_ns[node], processors[node] * wall_ns));
  }
  double busiest_rank = largest(parts_of_shares(ranks, processors));
  Efficiency result;
  result.parallel = part(all_ns, all_processors * wall_ns);
  result.between_nodes = part(result.parallel, busiest_node);
  if (busiest_rank > kLent) return result;
  busiest_rank = std::min(busiest_rank, 1.0);
  result.in_nodes = part(busiest_node, busiest_rank);
  result.load_balance = part(result.parallel, busiest_rank);
  result.communication = busiest_rank;
  return result;
}

std::vector<RankEfficiency> rank_efficiencies(const std::vector<Use>& ranks, const std::vector<int>& processors) {
  const std::vector<double> parts = parts_of_shares(ranks, processors);
  const double most = largest(parts);
  std::vector<RankEfficiency> all;
  all.reserve(parts.size());
  for (const double one : parts) {
    RankEfficiency& rank = all.emplace_back();
    rank.parallel = std::min(one, 1.0);
    if (most <= kLent) rank.load_balance = part(one, most);
  }
  return all;
}

Efficiency node_efficiency(std::vector<Use> ranks, int processors, double wall_ns) {
  for (Use& rank : ranks) {
    rank.node = 0;
    rank.wall_ns = wall_ns;
  }
  return efficiency(ranks, {processors});
}

}  // namespace comity::metrics
