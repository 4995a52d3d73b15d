// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/room.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace comity::cli {
namespace {

using place::NodeRun;
using place::Site;

// Of ranks that differ each must have as many cores in each package, on all nodes.
void require_even_spread(const std::vector<NodeRun>& nodes, const std::vector<std::uint32_t>& threads) {
  for (const std::uint32_t width : std::set<std::uint32_t>(threads.begin(), threads.end())) {
    for (const NodeRun& run : nodes) (void)place::spread(run.shape, width);
  }
}

ThreadsLie how_they_lie(bool uneven, bool spread) {
  if (!spread) return ThreadsLie::together;
  return uneven ? ThreadsLie::spread_unequal : ThreadsLie::spread;
}

std::size_t most_levels(const std::vector<NodeRun>& nodes) {
  std::size_t most = 0;
  for (const NodeRun& run : nodes) most += run.shape.levels.size();  // none of them need be the same
  return std::min<std::size_t>(most, place::kLevelTypes.size());
}

}  // namespace

Room::Room(std::vector<NodeRun> whole, std::vector<place::Host> hosts, std::vector<std::uint32_t> threads, bool spread)
    : whole_(std::move(whole)),
      hosts_(std::move(hosts)),
      threads_(std::move(threads)),
      lie_(how_they_lie(threads_.size() > 1, spread)) {
  if (lie_ == ThreadsLie::spread_unequal) require_even_spread(whole_, threads_);
  nodes_ = laid(SlotsTake::first_cores);
}

std::vector<NodeRun> Room::laid(SlotsTake take) const {
  const std::uint32_t width = threads_.size() > 1 ? 1 : threads_.front();  // of a place
  if (!hosts_.empty()) return with_slots(whole_, hosts_, width, lie_, take);
  std::vector<NodeRun> nodes = whole_;
  if (lie_ == ThreadsLie::together) return nodes;
  for (NodeRun& run : nodes) run.shape = place::spread(run.shape, spread_width(run.shape, width, lie_));
  return nodes;
}

Site Room::site(const std::optional<place::Network>& network, place::LevelsKept kept) const {
  const std::uint32_t width = threads_.size() > 1 ? 1 : threads_.front();
  if (!network) return Site(nodes_, width, {}, {}, kept);
  return Site(place::in_order(nodes_, network->order), width, network->levels, network->order, kept);
}

Site Room::site_for(std::size_t ranks, const std::optional<place::Network>& network) {
  Site found = site(network, place::kAllLevels);
  if (threads_.size() > 1 || threads_.front() == 1 || lie_ != ThreadsLie::together) return found;
  if (found.places() < ranks && !hosts_.empty()) {
    nodes_ = laid(SlotsTake::any_cores);
    found = site(network, place::kAllLevels);
  }
  for (std::size_t kept = most_levels(nodes_); found.places() < ranks && kept-- > 0;) found = site(network, kept);
  return found;
}

}  // namespace comity::cli
