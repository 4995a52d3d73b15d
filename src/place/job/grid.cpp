// SPDX-License-Identifier: BSD-3-Clause
#include "place/job/grid.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace comity::place {
namespace {

using Step = std::array<int, kMostDimensions>;

struct Direction {
  Step step;
  Weight weight;
};

// Both signs of each, so that an edge is met from both of its ends.
std::vector<Direction> directions_of(const Grid& grid) {
  std::vector<Direction> directions;
  const std::size_t d = grid.dimensions();
  std::size_t count = 1;
  for (std::size_t i = 0; i < d; ++i) count *= 3;
  for (std::size_t code = 0; code < count; ++code) {
    Direction direction{{}, 0};
    std::size_t rest = code, moved = 0;
    for (std::size_t i = 0; i < d; ++i, rest /= 3) {
      direction.step[i] = static_cast<int>(rest % 3) - 1;
      if (direction.step[i] == 0) continue;
      ++moved;
      direction.weight = grid.halo_of(i);
    }
    if (moved == 0) continue;
    if (moved > 1) direction.weight = grid.diagonal;
    if (direction.weight > 0) directions.push_back(direction);
  }
  return directions;
}

// False where the step leaves the grid, or comes back to its own cell.
bool take(const Grid& grid, const Step& step, Cell& cell) {
  bool moved = false;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    if (step[i] == 0) continue;
    const std::int64_t extent = grid.extents[i];
    std::int64_t to = static_cast<std::int64_t>(cell[i]) + step[i];
    if (to < 0 || to >= extent) {
      if (!grid.wraps(i)) return false;
      to = (to + extent) % extent;
    }
    moved = moved || to != cell[i];
    cell[i] = static_cast<std::uint32_t>(to);
  }
  return moved;
}

void next_cell(const Grid& grid, Cell& cell) {
  for (std::size_t i = grid.dimensions(); i-- > 0;) {
    if (++cell[i] < grid.extents[i]) return;
    cell[i] = 0;
  }
}

constexpr std::size_t kMostKinds = 81;  // at the first layer of each dimension, at the last one, or between

// Cells of one kind have their neighbours equally far away, in row-major order, in a ring too.
std::size_t kind_of(const Grid& grid, const Cell& cell) {
  std::size_t kind = 0;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    const bool is_last = cell[i] + 1 == grid.extents[i];
    kind = 3 * kind + (cell[i] == 0 ? 0U : is_last ? 2U : 1U);
  }
  return kind;
}

std::string dimension_text(std::size_t i) { return "dimension " + std::to_string(i + 1); }

template <typename List>
void check_length(const Grid& grid, const List& list, const char* what) {
  if (list.empty() || list.size() == grid.dimensions()) return;
  throw Error(Status::argument, "the grid has " + std::to_string(grid.dimensions()) + " dimensions, but " +
                                    std::to_string(list.size()) + ' ' + what + "; give one for each dimension");
}

}  // namespace

std::size_t Grid::cells() const {
  std::size_t product = 1;
  for (const std::uint32_t extent : extents) product *= extent;
  return product;
}

bool Grid::wraps() const { return std::find(periodic.begin(), periodic.end(), true) != periodic.end(); }

Rank Grid::rank_of(const Cell& cell) const {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) rank = rank * extents[i] + cell[i];
  return static_cast<Rank>(rank);
}

Cell Grid::cell_of(Rank rank) const {
  Cell cell{};
  for (std::size_t i = extents.size(); i-- > 0;) {
    cell[i] = rank % extents[i];
    rank /= extents[i];
  }
  return cell;
}

void Grid::check() const {
  if (extents.empty() || extents.size() > kMostDimensions) {
    throw Error(Status::range, "a grid has 1 to " + std::to_string(kMostDimensions) + " dimensions, not " +
                                   std::to_string(extents.size()));
  }
  std::size_t product = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0) {
      throw Error(Status::range, "the grid has no ranks: " + dimension_text(i) + " has extent 0; give 1 at least");
    }
    if (extents[i] > kMostRanks / product) {
      throw Error(Status::range, "the grid has more than " + std::to_string(kMostRanks) +
                                     " cells, the most that can be placed; make it smaller");
    }
    product *= extents[i];
  }
  check_length(*this, periodic, "flags of periodicity");
  check_length(*this, halo, "halo weights");
  for (std::size_t i = 0; i < halo.size(); ++i) {
    if (halo[i] >= 1 && halo[i] <= kMostHalo) continue;
    throw Error(Status::range, "the halo weight of " + dimension_text(i) + " is " + std::to_string(halo[i]) +
                                   "; give 1 to " + std::to_string(kMostHalo));
  }
  if (diagonal < 0 || diagonal > kMostHalo) {
    throw Error(Status::range, "the weight of diagonals is " + std::to_string(diagonal) + "; give 0 (none) to " +
                                   std::to_string(kMostHalo));
  }
}

Graph graph_of(const Grid& grid) {
  grid.check();
  const std::vector<Direction> directions = directions_of(grid);
  const bool weighted =
      std::any_of(directions.begin(), directions.end(), [](const Direction& one) { return one.weight != 1; });
  const std::size_t cells = grid.cells();
  std::vector<std::uint8_t> kinds(cells);
  std::array<std::uint8_t, kMostKinds> number_of{};  // of each kind, from 1 on; 0: not met yet
  std::vector<std::uint64_t> first{0};
  std::vector<Rank> away;
  std::vector<Weight> weights;
  Cell cell{};
  for (std::size_t rank = 0; rank < cells; ++rank, next_cell(grid, cell)) {
    std::uint8_t& number = number_of[kind_of(grid, cell)];
    if (number == 0) {
      for (const Direction& direction : directions) {
        Cell other = cell;
        if (!take(grid, direction.step, other)) continue;
        away.push_back(grid.rank_of(other) - static_cast<Rank>(rank));
        if (weighted) weights.push_back(direction.weight);
      }
      first.push_back(away.size());
      number = static_cast<std::uint8_t>(first.size() - 1);
    }
    kinds[rank] = static_cast<std::uint8_t>(number - 1);
  }
  return Graph::of_kinds(std::move(kinds), std::move(first), std::move(away), std::move(weights));
}

}  // namespace comity::place
