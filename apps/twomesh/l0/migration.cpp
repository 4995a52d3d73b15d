// SPDX-License-Identifier: BSD-3-Clause
#include "l0/migration.hpp"

#include <algorithm>

#include "l0/window.hpp"

namespace twomesh::l0 {
namespace {

constexpr int kMigrationTag = 102;

std::size_t values_in_all(std::span<const Block> blocks) {
  std::size_t values = 0;
  for (const Block& block : blocks) values += values_in(all_cells(block));
  return values;
}

}  // namespace

Migration::Migration(MPI_Comm communicator, const Ownership& from, const Ownership& to) : communicator_(communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  sends_ = routes_of(rank, from, to);
  receives_ = routes_of(rank, to, from);
  for (const Route& route : sends_) outgoing_.push_back({route.peer, {}});
  for (const Route& route : receives_) incoming_.push_back({route.peer, {}});
}

// Each part is a run of tiles, so what two parts have in common is a run too.
std::vector<Migration::Route> Migration::routes_of(int rank, const Ownership& mine, const Ownership& theirs) {
  std::vector<Route> routes;
  const int part = mine.part_on(rank);
  if (part < 0) return routes;
  for (int other = 0; other < theirs.parts(); ++other) {
    const int first = std::max(mine.first_tile(part), theirs.first_tile(other));
    const int last = std::min(mine.first_tile(part + 1), theirs.first_tile(other + 1));
    if (first >= last) continue;
    routes.push_back({theirs.rank_of_part(other), static_cast<std::size_t>(first - mine.first_tile(part)),
                      static_cast<std::size_t>(last - first)});
  }
  return routes;
}

void Migration::move(std::span<const Block> from, std::span<Block> to) {
  for (std::size_t route = 0; route < sends_.size(); ++route) {
    const auto blocks = from.subspan(sends_[route].first, sends_[route].count);
    outgoing_[route].data.resize(values_in_all(blocks));
    double* out = outgoing_[route].data.data();
    for (const Block& block : blocks) out = pack(block, block.state, all_cells(block), out);
  }
  for (std::size_t route = 0; route < receives_.size(); ++route) {
    incoming_[route].data.resize(values_in_all(to.subspan(receives_[route].first, receives_[route].count)));
  }
  parallel::exchange(communicator_, kMigrationTag, outgoing_, incoming_);
  for (std::size_t route = 0; route < receives_.size(); ++route) {
    const double* in = incoming_[route].data.data();
    for (Block& block : to.subspan(receives_[route].first, receives_[route].count)) {
      in = unpack(block, block.state, all_cells(block), in);
    }
  }
}

}  // namespace twomesh::l0
