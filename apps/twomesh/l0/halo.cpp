// SPDX-License-Identifier: BSD-3-Clause
#include "l0/halo.hpp"

#include <algorithm>

#include "l0/window.hpp"

namespace twomesh::l0 {
namespace {

constexpr int kHaloTag = 101;

Window ghosts_of(const Block& block, Side side) {
  switch (side) {
    case Side::west:
      return {-kGhosts, 0, 0, block.ny()};
    case Side::east:
      return {block.nx(), block.nx() + kGhosts, 0, block.ny()};
    case Side::south:
      return {0, block.nx(), -kGhosts, 0};
    case Side::north:
      return {0, block.nx(), block.ny(), block.ny() + kGhosts};
  }
  return {};
}

// The cells of the source that lie behind the target's `side`.
Window cells_behind(const Block& source, Side side) {
  switch (side) {
    case Side::west:
      return {source.nx() - kGhosts, source.nx(), 0, source.ny()};
    case Side::east:
      return {0, kGhosts, 0, source.ny()};
    case Side::south:
      return {0, source.nx(), source.ny() - kGhosts, source.ny()};
    case Side::north:
      return {0, source.nx(), 0, kGhosts};
  }
  return {};
}

// Open edge: each ghost repeats the nearest cell of the block.
void repeat_edge(const Block& block, Fields& fields, Side side) {
  const Window ghosts = ghosts_of(block, side);
  for (auto& field : fields) {
    for (int j = ghosts.j0; j < ghosts.j1; ++j) {
      for (int i = ghosts.i0; i < ghosts.i1; ++i) {
        field[block.at(i, j)] = field[block.at(std::clamp(i, 0, block.nx() - 1), std::clamp(j, 0, block.ny() - 1))];
      }
    }
  }
}

}  // namespace

Halo::Halo(MPI_Comm communicator, const Tiling& tiling, const Ownership& ownership, Edge x_edge, Edge y_edge)
    : communicator_(communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const int mine = ownership.part_on(rank);
  first_tile_ = ownership.first_tile(mine);
  const auto add = [](std::vector<Route>& routes, int peer, const Face& face) {
    const auto same = [&](const Route& route) { return route.peer == peer; };
    auto route = std::find_if(routes.begin(), routes.end(), same);
    if (route == routes.end()) route = routes.insert(routes.end(), Route{peer, {}});
    route->faces.push_back(face);
  };
  for (const Face& face : halo_faces(tiling, x_edge, y_edge)) {
    const int to = ownership.part_of_tile(face.target);
    const int from = face.source < 0 ? to : ownership.part_of_tile(face.source);
    if (face.source < 0 && to == mine) edges_.push_back(face);
    if (face.source >= 0 && to == mine && from == mine) copies_.push_back(face);
    if (to == mine && from != mine) add(receives_, ownership.rank_of_part(from), face);
    if (to != mine && from == mine) add(sends_, ownership.rank_of_part(to), face);
  }
  for (const Route& route : sends_) outgoing_.push_back({route.peer, {}});
  for (const Route& route : receives_) incoming_.push_back({route.peer, {}});
}

void Halo::fill(std::vector<Block>& blocks, Fields Block::*which) {
  for (std::size_t route = 0; route < sends_.size(); ++route) {
    std::vector<double>& data = outgoing_[route].data;
    std::size_t length = 0;
    for (const Face& face : sends_[route].faces) {
      length += values_in(cells_behind(local(blocks, face.source), face.side));
    }
    data.resize(length);
    double* out = data.data();
    for (const Face& face : sends_[route].faces) {
      const Block& source = local(blocks, face.source);
      out = pack(source, source.*which, cells_behind(source, face.side), out);
    }
  }
  for (std::size_t route = 0; route < receives_.size(); ++route) {
    std::size_t length = 0;
    for (const Face& face : receives_[route].faces) {
      length += values_in(ghosts_of(local(blocks, face.target), face.side));
    }
    incoming_[route].data.resize(length);
  }
  parallel::exchange(communicator_, kHaloTag, outgoing_, incoming_);
  std::vector<double> face_cells;
  for (const Face& face : copies_) {
    const Block& source = local(blocks, face.source);
    Block& target = local(blocks, face.target);
    const Window from = cells_behind(source, face.side);
    face_cells.resize(values_in(from));
    pack(source, source.*which, from, face_cells.data());
    unpack(target, target.*which, ghosts_of(target, face.side), face_cells.data());
  }
  for (std::size_t route = 0; route < receives_.size(); ++route) {
    const double* in = incoming_[route].data.data();
    for (const Face& face : receives_[route].faces) {
      Block& target = local(blocks, face.target);
      in = unpack(target, target.*which, ghosts_of(target, face.side), in);
    }
  }
  for (const Face& face : edges_) {
    Block& target = local(blocks, face.target);
    repeat_edge(target, target.*which, face.side);
  }
}

}  // namespace twomesh::l0
