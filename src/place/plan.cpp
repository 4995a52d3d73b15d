// SPDX-License-Identifier: BSD-3-Clause
#include "place/plan.hpp"

#include <algorithm>

namespace comity::place {

Plan::Plan(const std::vector<NodeRun>& nodes, const std::vector<std::uint32_t>& order, const Site& site,
           const Mapping& mapping, const std::vector<std::uint32_t>& threads)
    : seats_(mapping.size()) {
  std::size_t cores = 0;
  for (const NodeRun& run : nodes) {
    for (std::size_t i = 0; i < run.nodes; ++i, cores += run.shape.cores + run.shape.idle) {
      kind_of_.push_back(static_cast<std::uint32_t>(kinds_.size()));
      cores_before_.push_back(cores);
    }
    kinds_.push_back(run.shape);
  }
  ranks_.resize(this->nodes());
  const auto node_at = [&](std::size_t position) {
    return order.empty() ? static_cast<std::uint32_t>(position) : order[position];
  };
  std::vector<std::size_t> first(this->nodes() + 1, 0);  // core of the node at each position, as the site counts
  for (std::size_t position = 0; position < this->nodes(); ++position) {
    first[position + 1] = first[position] + shape(node_at(position)).cores;
  }
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    const std::size_t core = site.core(mapping[rank]);
    const auto position =
        static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), core) - first.begin()) - 1;
    RankSeat& seat = seats_[rank];
    seat.node = node_at(position);
    seat.first = static_cast<std::uint32_t>(core - first[position]);
    seat.threads = threads.size() == 1 ? threads.front() : threads[rank];
    seat.local = static_cast<std::uint32_t>(ranks_[seat.node].size());
    ranks_[seat.node].push_back(rank);
  }
}

std::uint32_t Plan::most_threads() const {
  std::uint32_t most = 1;
  for (const RankSeat& seat : seats_) most = std::max(most, seat.threads);
  return most;
}

std::size_t Plan::threads() const {
  std::size_t all = 0;
  for (const RankSeat& seat : seats_) all += seat.threads;
  return all;
}

std::vector<CoreSeat> Plan::cores(Rank rank) const {
  const RankSeat& seat = seats_[rank];
  const NodeShape& node = shape(seat.node);
  std::vector<CoreSeat> result;
  result.reserve(seat.threads);
  for (std::uint32_t thread = 0; thread < seat.threads; ++thread) result.push_back(node.seat(seat.first + thread));
  // Where ranks of several widths are spread their cores come in turn from the packages; threads that follow one another are to be near.
  std::sort(result.begin(), result.end(),
            [](const CoreSeat& one, const CoreSeat& other) { return one.number < other.number; });
  return result;
}

CpuSet Plan::cpus(Rank rank) const {
  CpuSet all;
  for (const CoreSeat& core : cores(rank)) all |= core.cpus;
  return all;
}

std::size_t Plan::place(Rank rank) const {
  const RankSeat& seat = seats_[rank];
  const std::vector<CoreSeat>& known = shape(seat.node).seats;
  return cores_before_[seat.node] + (known.empty() ? seat.first : known[seat.first].number);
}

}  // namespace comity::place
