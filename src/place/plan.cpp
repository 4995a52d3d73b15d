// SPDX-License-Identifier: BSD-3-Clause
#include "place/plan.hpp"

#include <algorithm>
#include <utility>

namespace comity::place {

Plan::Plan(std::vector<NodeRun> nodes, const Site& site, const Mapping& mapping,
           const std::vector<std::uint32_t>& threads)
    : runs_(std::move(nodes)), begins_{0}, cores_{0}, seats_(mapping.size()) {
  for (const NodeRun& run : runs_) {
    begins_.push_back(begins_.back() + run.nodes);
    cores_.push_back(cores_.back() + run.nodes * run.shape.cores);
  }
  ranks_.resize(this->nodes());
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    const std::size_t core = site.core(mapping[rank]);
    const auto run =
        static_cast<std::size_t>(std::upper_bound(cores_.begin(), cores_.end(), core) - cores_.begin()) - 1;
    const std::size_t within = core - cores_[run];
    Seat& seat = seats_[rank];
    seat.node = static_cast<std::uint32_t>(begins_[run] + within / runs_[run].shape.cores);
    seat.first = static_cast<std::uint32_t>(within % runs_[run].shape.cores);
    seat.threads = threads.size() == 1 ? threads.front() : threads[rank];
    seat.local = static_cast<std::uint32_t>(ranks_[seat.node].size());
    ranks_[seat.node].push_back(rank);
  }
}

std::uint32_t Plan::most_threads() const {
  std::uint32_t most = 1;
  for (const Seat& seat : seats_) most = std::max(most, seat.threads);
  return most;
}

std::size_t Plan::threads() const {
  std::size_t all = 0;
  for (const Seat& seat : seats_) all += seat.threads;
  return all;
}

std::size_t Plan::run_of(std::size_t node) const {
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), node) - begins_.begin()) - 1;
}

const NodeShape& Plan::shape(std::uint32_t node) const { return runs_[run_of(node)].shape; }

std::vector<CoreSeat> Plan::cores(Rank rank) const {
  const Seat& seat = seats_[rank];
  const NodeShape& node = shape(seat.node);
  std::vector<CoreSeat> result;
  result.reserve(seat.threads);
  for (std::uint32_t thread = 0; thread < seat.threads; ++thread) result.push_back(node.seat(seat.first + thread));
  return result;
}

CpuSet Plan::cpus(Rank rank) const {
  CpuSet all;
  for (const CoreSeat& core : cores(rank)) all |= core.cpus;
  return all;
}

std::size_t Plan::place(Rank rank) const {
  const Seat& seat = seats_[rank];
  const std::size_t run = run_of(seat.node);
  const NodeShape& node = runs_[run].shape;
  return cores_[run] + (seat.node - begins_[run]) * node.cores + node.seat(seat.first).number;
}

}  // namespace comity::place
