// SPDX-License-Identifier: BSD-3-Clause
#include "l0/halo_plan.hpp"

#include <map>
#include <utility>

namespace twomesh::l0 {
namespace {

int wrapped(int cell, int cells) { return (cell % cells + cells) % cells; }

// The lower left cell of the neighbour on `side`, wrapped around the domain.
std::pair<int, int> beyond(const Rect& tile, Side side, const Grid& grid, const Rect& first) {
  switch (side) {
    case Side::west:
      return {tile.x0 == 0 ? (grid.nx - 1) / first.width() * first.width() : tile.x0 - first.width(), tile.y0};
    case Side::east:
      return {wrapped(tile.x1, grid.nx), tile.y0};
    case Side::south:
      return {tile.x0, tile.y0 == 0 ? (grid.ny - 1) / first.height() * first.height() : tile.y0 - first.height()};
    case Side::north:
      return {tile.x0, wrapped(tile.y1, grid.ny)};
  }
  return {0, 0};
}

bool on_edge(const Rect& tile, Side side, const Grid& grid) {
  switch (side) {
    case Side::west:
      return tile.x0 == 0;
    case Side::east:
      return tile.x1 == grid.nx;
    case Side::south:
      return tile.y0 == 0;
    case Side::north:
      return tile.y1 == grid.ny;
  }
  return false;
}

}  // namespace

std::vector<Face> halo_faces(const Tiling& tiling, Edge x_edge, Edge y_edge) {
  std::map<std::pair<int, int>, int> by_corner;
  for (int tile = 0; tile < tiling.count(); ++tile) {
    const Rect& cells = tiling.tiles[static_cast<std::size_t>(tile)];
    by_corner[{cells.x0, cells.y0}] = tile;
  }
  const Rect& first = tiling.tiles[static_cast<std::size_t>(by_corner.at({0, 0}))];
  std::vector<Face> faces;
  for (int tile = 0; tile < tiling.count(); ++tile) {
    const Rect& cells = tiling.tiles[static_cast<std::size_t>(tile)];
    for (const Side side : kSides) {
      const Edge edge = side == Side::west || side == Side::east ? x_edge : y_edge;
      const bool open = edge == Edge::open && on_edge(cells, side, tiling.grid);
      faces.push_back({tile, side, open ? -1 : by_corner.at(beyond(cells, side, tiling.grid, first))});
    }
  }
  return faces;
}

}  // namespace twomesh::l0
