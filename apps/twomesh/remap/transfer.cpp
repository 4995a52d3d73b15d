// SPDX-License-Identifier: BSD-3-Clause
#include "remap/transfer.hpp"

#include <algorithm>

namespace twomesh::remap {
namespace {

constexpr int kRemapTag = 121;

void clear(const Tile& tile) {
  for (int row = 0; row < tile.cells.height(); ++row) {
    std::fill_n(tile.values + row * tile.pitch, tile.cells.width(), 0.0);
  }
}

}  // namespace

Transfer::Transfer(MPI_Comm communicator, const Tiling& source, const Ownership& source_owners, const Tiling& target,
                   const Ownership& target_owners)
    : communicator_(communicator), plan_(source, target) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const int giving = source_owners.part_on(rank);
  const int taking = target_owners.part_on(rank);
  if (giving >= 0) first_source_ = source_owners.first_tile(giving);
  if (taking >= 0) first_target_ = target_owners.first_tile(taking);
  for (const Patch& patch : plan_.patches()) {
    const int from = source_owners.part_of_tile(patch.source_tile);
    const int to = target_owners.part_of_tile(patch.target_tile);
    if (from == giving) add(sends_, target_owners.rank_of_part(to), patch);
    if (to == taking) add(receives_, source_owners.rank_of_part(from), patch);
  }
  for (const Route& route : sends_) outgoing_.push_back({route.peer, {}});
  for (const Route& route : receives_) incoming_.push_back({route.peer, {}});
}

void Transfer::add(std::vector<Route>& routes, int peer, const Patch& patch) {
  auto route = std::find_if(routes.begin(), routes.end(), [&](const Route& known) { return known.peer == peer; });
  if (route == routes.end()) route = routes.insert(routes.end(), Route{peer, {}, 0});
  route->patches.push_back(patch);
  route->cells += patch.cells.cells();
}

void Transfer::move(std::span<const std::vector<ConstTile>> sources, std::span<const std::vector<Tile>> targets) {
  for (std::size_t route = 0; route < sends_.size(); ++route) {
    outgoing_[route].data.resize(sends_[route].cells * sources.size());
    double* out = outgoing_[route].data.data();
    for (const auto& field : sources) {
      for (const Patch& patch : sends_[route].patches) {
        plan_.contribute(field[static_cast<std::size_t>(patch.source_tile - first_source_)], patch, out);
        out += patch.cells.cells();
      }
    }
  }
  for (std::size_t route = 0; route < receives_.size(); ++route) {
    incoming_[route].data.resize(receives_[route].cells * targets.size());
  }
  parallel::exchange(communicator_, kRemapTag, outgoing_, incoming_);
  for (const auto& field : targets) std::for_each(field.begin(), field.end(), clear);
  for (std::size_t route = 0; route < receives_.size(); ++route) {
    const double* in = incoming_[route].data.data();
    for (const auto& field : targets) {
      for (const Patch& patch : receives_[route].patches) {
        Plan::accumulate(in, patch, field[static_cast<std::size_t>(patch.target_tile - first_target_)]);
        in += patch.cells.cells();
      }
    }
  }
}

}  // namespace twomesh::remap
