// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/tiling.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace twomesh {
namespace {

// Bits of x and y interleaved: the place of (x, y) on the Morton curve.
std::uint64_t morton_key(std::uint32_t x, std::uint32_t y) {
  std::uint64_t key = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    key |= (std::uint64_t{x} >> bit & 1U) << (2 * bit) | (std::uint64_t{y} >> bit & 1U) << (2 * bit + 1);
  }
  return key;
}

}  // namespace

Tiling block_tiling(const Grid& grid, int block_nx, int block_ny) {
  std::vector<std::pair<std::uint64_t, Rect>> placed;
  for (int y = 0; y * block_ny < grid.ny; ++y) {
    for (int x = 0; x * block_nx < grid.nx; ++x) {
      const Rect tile{x * block_nx, std::min((x + 1) * block_nx, grid.nx), y * block_ny,
                      std::min((y + 1) * block_ny, grid.ny)};
      placed.emplace_back(morton_key(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)), tile);
    }
  }
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Tiling tiling{grid, {}};
  for (const auto& [key, tile] : placed) tiling.tiles.push_back(tile);
  return tiling;
}

Tiling strip_tiling(const Grid& grid, int rows) {
  Tiling tiling{grid, {}};
  for (int y = 0; y < grid.ny; y += rows) tiling.tiles.push_back({0, grid.nx, y, std::min(y + rows, grid.ny)});
  return tiling;
}

}  // namespace twomesh
