// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/orders.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace comity::place {
namespace {

// All numbers of pieces of a dimension are tried in small grids; in others those whose tiles are about as wide as is
// ideal, some that make all tiles alike and some that do not.
constexpr std::size_t kSmallGrid = 5'000;  // [cells]
constexpr std::size_t kTriedAlike = 6, kTriedUnlike = 6, kTriedUnlike4 = 2;

// What a node's piece shows more than a box where tiles differ in width, and where its end is not straight.
constexpr double kUnlike = 1.04, kRagged = 1.08;

constexpr double kWidthsToldApart = 8;  // [cells]

struct Box {
  Cell low{}, high{};  // high: one past the last
};

// Loops over a box, slowest axis first; with `turns` the fastest axis runs the other way each time it starts again.
template <typename Visit>
void loop(const Box& box, const Axes& axes, std::size_t dimensions, bool turns, Visit&& visit) {
  Cell cell = box.low;
  const std::uint8_t fastest = axes[dimensions - 1];
  for (bool backwards = false;; backwards = turns && !backwards) {
    for (std::uint32_t i = box.low[fastest]; i < box.high[fastest]; ++i) {
      cell[fastest] = backwards ? box.high[fastest] - 1 - (i - box.low[fastest]) : i;
      visit(cell);
    }
    std::size_t axis = dimensions - 1;
    while (axis-- > 0) {
      if (++cell[axes[axis]] < box.high[axes[axis]]) break;
      cell[axes[axis]] = box.low[axes[axis]];
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

std::uint32_t border(std::uint32_t extent, std::uint32_t pieces, std::uint32_t piece) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(extent) * piece / pieces);
}

// What a cell of a border across a dimension exchanges, diagonals too: half of those that leave along it.
double weight_across(const Grid& grid, std::size_t dimension) {
  double diagonals = 1;
  for (std::size_t i = 1; i < grid.dimensions(); ++i) diagonals *= 3;
  return static_cast<double>(grid.halo_of(dimension)) + static_cast<double>(grid.diagonal) * (diagonals - 1);
}

// How wide a node's box would be if cells were divisible: surfaces of all directions cost the same.
double ideal_width(const Grid& grid, std::size_t node_ranks, std::size_t dimension) {
  double product = static_cast<double>(node_ranks);
  for (std::size_t i = 0; i < grid.dimensions(); ++i)
    product *= weight_across(grid, dimension) / weight_across(grid, i);
  return std::pow(product, 1.0 / static_cast<double>(grid.dimensions()));
}

std::vector<std::uint32_t> tried_pieces(const Grid& grid, std::size_t node_ranks, std::size_t dimension) {
  const std::uint32_t extent = grid.extents[dimension];
  std::vector<std::uint32_t> tried;
  if (grid.cells() <= kSmallGrid && grid.dimensions() < kMostDimensions) {
    tried.resize(extent);
    std::iota(tried.begin(), tried.end(), 1U);
    return tried;
  }
  const double ideal = std::clamp(ideal_width(grid, node_ranks, dimension), 1.0, static_cast<double>(extent));
  const auto nearest = [&](bool alike, std::size_t count) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t pieces = 1; pieces <= extent; ++pieces) {
      if ((extent % pieces == 0) == alike) found.push_back(pieces);
    }
    const auto distance = [&](std::uint32_t pieces) { return std::abs(std::log(extent / (pieces * ideal))); };
    std::stable_sort(found.begin(), found.end(),
                     [&](std::uint32_t one, std::uint32_t other) { return distance(one) < distance(other); });
    found.resize(std::min(found.size(), count));
    tried.insert(tried.end(), found.begin(), found.end());
  };
  nearest(true, kTriedAlike);
  nearest(false, grid.dimensions() < kMostDimensions ? kTriedUnlike : kTriedUnlike4);
  if (std::find(tried.begin(), tried.end(), 1U) == tried.end()) tried.push_back(1);
  return tried;
}

// What the cells of a box exchange with others by diagonals, both ways. `stays[i]`: the part of them that a step along i
// leaves inside.
double diagonals_out(const Grid& grid, std::size_t node_ranks, const std::array<double, kMostDimensions>& stays) {
  const std::size_t d = grid.dimensions();
  std::size_t count = 1;
  for (std::size_t i = 0; i < d; ++i) count *= 3;
  double out = 0;
  for (std::size_t code = 1; code < count; ++code) {
    double inside = 1;
    std::size_t moved = 0;
    for (std::size_t i = 0, rest = code; i < d; ++i, rest /= 3) {
      if (rest % 3 == 0) continue;
      ++moved;
      inside *= stays[i];
    }
    if (moved > 1) out += 1 - inside;
  }
  return out * static_cast<double>(grid.diagonal) * static_cast<double>(node_ranks);
}

// A node's piece: as wide as a tile in all dimensions but the slowest, along which it is as long as its ranks reach.
void estimate(const Grid& grid, Walk& walk, std::size_t node_ranks) {
  std::array<double, kMostDimensions>& width = walk.width;
  double rest = static_cast<double>(node_ranks), factor = 1;
  for (std::size_t i = grid.dimensions(); i-- > 0;) {
    const std::uint8_t axis = walk.axes[i];
    const double tile = static_cast<double>(grid.extents[axis]) / walk.pieces[axis];
    width[axis] = std::clamp(rest, 1.0, tile);
    rest /= width[axis];
    if (grid.extents[axis] % walk.pieces[axis] != 0) factor *= kUnlike;
    const double times = tile / width[axis];  // so many nodes after one another
    if (std::abs(times - std::round(times)) > 1e-9 || std::abs(width[axis] - std::round(width[axis])) > 1e-9)
      factor *= kRagged;
  }
  double surface = 0;
  std::array<double, kMostDimensions> stays{};
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    const bool whole = width[i] >= grid.extents[i];
    stays[i] = whole ? 1 : 1 - 1 / width[i];
    if (!whole) surface += static_cast<double>(grid.halo_of(i)) * static_cast<double>(node_ranks) / width[i];
  }
  if (grid.diagonal > 0) surface += diagonals_out(grid, node_ranks, stays) / 2;
  surface *= factor;
  walk.estimate = rest > 1.0 + 1e-9 ? 2 * surface : surface;  // several tiles a node: they need not touch
}

// Narrow pieces are told apart by each cell.
int width_class(double width) {
  const double narrow = kWidthsToldApart;
  return static_cast<int>(std::lround(width < narrow ? width : narrow + 4 * std::log2(width / narrow)));
}

Cell shape_of(const Walk& walk) {
  Cell shape{};
  std::ranges::transform(walk.width, shape.begin(),
                         [](double width) { return static_cast<std::uint32_t>(width_class(width)); });
  return shape;
}

// Calls look(walk) with an estimate for each order of the axes. Whether it turns round changes nothing of that.
template <typename Look>
void for_each_walk(const Grid& grid, std::size_t node_ranks, const Cell& pieces, Look&& look) {
  const std::size_t d = grid.dimensions();
  Axes axes{};
  std::iota(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(d), std::uint8_t{0});
  do {
    Walk walk{pieces, axes, false, {}};
    estimate(grid, walk, node_ranks);
    look(walk);
  } while (std::next_permutation(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(d)));
}

// Calls look(pieces) for all ways to cut the grid into tiles of a node's ranks or more.
template <typename Look>
void for_each_tiling(const Grid& grid, std::size_t node_ranks, Look&& look) {
  const std::size_t d = grid.dimensions();
  std::vector<std::vector<std::uint32_t>> tried;
  for (std::size_t i = 0; i < d; ++i) tried.push_back(tried_pieces(grid, node_ranks, i));
  std::array<std::size_t, kMostDimensions> at{};
  for (bool more = true; more;) {
    Cell pieces{};
    double tile = 1;
    for (std::size_t i = 0; i < d; ++i) {
      pieces[i] = tried[i][at[i]];
      tile *= static_cast<double>(grid.extents[i]) / pieces[i];
    }
    if (tile >= 0.999 * static_cast<double>(node_ranks)) look(pieces);
    more = false;
    for (std::size_t i = 0; i < d && !more; ++i) {
      if (++at[i] < tried[i].size()) {
        more = true;
      } else {
        at[i] = 0;
      }
    }
  }
}

}  // namespace

std::vector<Walk> walks(const Grid& grid, std::size_t node_ranks) {
  std::vector<Walk> result;
  for_each_tiling(grid, node_ranks, [&](const Cell& pieces) {
    for_each_walk(grid, node_ranks, pieces, [&](Walk walk) {
      for (const bool turns : {false, true}) {
        walk.back_and_forth = turns;
        if (!turns || grid.dimensions() > 1) result.push_back(walk);
      }
    });
  });
  std::stable_sort(result.begin(), result.end(), [](const Walk& a, const Walk& b) { return a.estimate < b.estimate; });
  return result;
}

double least_estimate(const Grid& grid, std::size_t node_ranks) {
  double least = std::numeric_limits<double>::max();
  for_each_tiling(grid, node_ranks, [&](const Cell& pieces) {
    for_each_walk(grid, node_ranks, pieces, [&](const Walk& walk) { least = std::min(least, walk.estimate); });
  });
  return least;
}

std::size_t count_of_walks(const Grid& grid, std::size_t node_ranks) {
  std::size_t count = 0;
  for_each_tiling(grid, node_ranks, [&](const Cell&) { ++count; });
  for (std::size_t i = 2; i <= grid.dimensions(); ++i) count *= i;  // orders of the axes
  return grid.dimensions() > 1 ? 2 * count : count;
}

std::vector<Walk> of_unlike_shapes(const std::vector<Walk>& walks, std::size_t most) {
  std::set<Cell> known;
  std::vector<Walk> unlike;
  for (const Walk& walk : walks) {
    if (unlike.size() == most) break;
    if (known.insert(shape_of(walk)).second) unlike.push_back(walk);
  }
  return unlike;
}

std::vector<Rank> order_of(const Grid& grid, const Walk& walk) {
  const std::size_t d = grid.dimensions();
  std::vector<Rank> order;
  order.reserve(grid.cells());
  loop({{}, walk.pieces}, walk.axes, d, false, [&](const Cell& tile) {
    Box box;
    for (std::size_t i = 0; i < d; ++i) {
      box.low[i] = border(grid.extents[i], walk.pieces[i], tile[i]);
      box.high[i] = border(grid.extents[i], walk.pieces[i], tile[i] + 1);
    }
    loop(box, walk.axes, d, walk.back_and_forth, [&](const Cell& cell) { order.push_back(grid.rank_of(cell)); });
  });
  return order;
}

}  // namespace comity::place
