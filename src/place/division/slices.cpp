// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/slices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "place/cut.hpp"
#include "place/division/orders.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kEdgesLookedAt = 6'000'000;  // by all walks together
constexpr std::size_t kMostWalks = 100, kFewestWalks = 2;

// Visits the cell of each rank. Most follow the one before along the fastest dimension, which spares divisions.
template <typename Visit>
void for_each_cell(const Grid& grid, std::span<const Rank> ranks, Visit&& visit) {
  const std::size_t fastest = grid.dimensions() - 1;
  Cell cell{};
  Rank before = 0;  // whose cell that is
  for (const Rank rank : ranks) {
    if (rank >= before && rank - before < grid.extents[fastest] - cell[fastest]) {
      cell[fastest] += rank - before;
    } else {
      cell = grid.cell_of(rank);
    }
    before = rank;
    visit(cell);
  }
}

struct Corners {
  Cell low{}, high{};
};

Corners corners_of(const std::vector<Cell>& cells) {
  if (cells.empty()) return {};
  Corners corners{cells.front(), cells.front()};
  for (const Cell& cell : cells) {
    for (std::size_t i = 0; i < cell.size(); ++i) {
      corners.low[i] = std::min(corners.low[i], cell[i]);
      corners.high[i] = std::max(corners.high[i], cell[i]);
    }
  }
  return corners;
}

class Slicing {
 public:
  Slicing(const Grid& grid, std::span<const Rank> ranks, std::span<const std::uint32_t> widths)
      : grid_(grid), ranks_(ranks), widths_(widths), part_(ranks.size(), 0) {
    cells_.reserve(ranks.size());
    for_each_cell(grid, ranks, [&](const Cell& cell) { cells_.push_back(cell); });
    const auto [low, high] = corners_of(cells_);
    for (std::size_t i = 0; i < grid.dimensions(); ++i) layers_[i].resize(high[i] - low[i] + 1);
    for (Cell& cell : cells_) {
      for (std::size_t i = 0; i < grid.dimensions(); ++i) cell[i] -= low[i];
    }
  }

  std::vector<Domain> into(std::span<const std::size_t> sizes) {
    std::vector<std::uint32_t> all(cells_.size());
    std::iota(all.begin(), all.end(), 0U);
    slice(std::move(all), sizes, 0);
    return std::move(part_);
  }

 private:
  // Between two layers, or in one.
  struct Knife {
    std::size_t dimension = 0;
    std::uint32_t layer = 0;
    std::size_t below = 0;  // in the layers before: how wide all their cells are
    double crosses = std::numeric_limits<double>::max();
  };

  void slice(std::vector<std::uint32_t> piece, std::span<const std::size_t> sizes, Domain first) {
    if (sizes.size() == 1) {
      for (const std::uint32_t one : piece) part_[one] = first;
      return;
    }
    const auto some = sizes.first(sizes.size() / 2);
    const std::size_t left = share_of(piece, std::accumulate(some.begin(), some.end(), std::size_t{0}),
                                      std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
    const Knife knife = cheapest(piece, left);
    std::vector<std::uint32_t> lower, upper;
    lower.reserve(std::min(left, piece.size()));
    upper.reserve(piece.size() - std::min(left, piece.size()));
    std::size_t of_layer = left - knife.below;  // that still belongs to the lower half
    for (const std::uint32_t one : piece) {
      const std::uint32_t at = cells_[one][knife.dimension];
      const bool is_lower = at < knife.layer || (at == knife.layer && of_layer > 0);
      if (at == knife.layer && is_lower) of_layer -= std::min<std::size_t>(of_layer, width(one));
      (is_lower ? lower : upper).push_back(one);
    }
    piece = {};
    slice(std::move(lower), some, first);
    slice(std::move(upper), sizes.subspan(some.size()), first + static_cast<Domain>(some.size()));
  }

  [[nodiscard]] std::size_t width(std::uint32_t one) const { return widths_.empty() ? 1 : widths_[ranks_[one]]; }

  // Of the piece what `some` is of `all`: pieces of unequal cells are not exactly as wide as they should be.
  [[nodiscard]] std::size_t share_of(const std::vector<std::uint32_t>& piece, std::size_t some, std::size_t all) const {
    if (widths_.empty()) return some;
    std::size_t has = 0;
    for (const std::uint32_t one : piece) has += width(one);
    return all == 0 ? 0 : has * some / all;
  }

  // Of equal ones the slowest dimension.
  Knife cheapest(const std::vector<std::uint32_t>& piece, std::size_t left) {
    for (std::size_t i = 0; i < grid_.dimensions(); ++i) std::fill(layers_[i].begin(), layers_[i].end(), 0U);
    for (const std::uint32_t one : piece) {
      for (std::size_t i = 0; i < grid_.dimensions(); ++i)
        layers_[i][cells_[one][i]] += static_cast<std::uint32_t>(width(one));
    }
    Knife best;
    for (std::size_t i = 0; i < grid_.dimensions(); ++i) {
      Knife knife{i};
      while (knife.below + layers_[i][knife.layer] < left) knife.below += layers_[i][knife.layer++];
      const auto cells = static_cast<double>(layers_[i][knife.layer]);
      const bool between = knife.below + layers_[i][knife.layer] == left;
      knife.crosses = weight_across(i) * (cells + (between ? 0 : std::sqrt(cells)));
      if (knife.crosses < best.crosses) best = knife;
    }
    return best;
  }

  // Of a cell, across a dimension; diagonals too.
  [[nodiscard]] double weight_across(std::size_t dimension) const {
    const double others = std::pow(3.0, static_cast<double>(grid_.dimensions() - 1)) - 1;
    return static_cast<double>(grid_.halo_of(dimension)) + static_cast<double>(grid_.diagonal) * others;
  }

  const Grid& grid_;
  std::span<const Rank> ranks_;
  std::span<const std::uint32_t> widths_;  // of each rank of the grid
  std::vector<Cell> cells_;                // from the first layers on that the piece has
  std::vector<Domain> part_;
  std::array<std::vector<std::uint32_t>, kMostDimensions> layers_;  // how wide the piece's cells in each are
};

std::vector<Domain> filled_along(const std::vector<Rank>& order, std::span<const std::size_t> sizes) {
  std::vector<Domain> part(order.size());
  auto next = order.begin();
  for (Domain one = 0; one < sizes.size(); ++one) {
    for (std::size_t i = 0; i < sizes[one]; ++i) part[*next++] = one;
  }
  return part;
}

}  // namespace

std::vector<Domain> sliced(const Grid& grid, std::span<const Rank> ranks, std::span<const std::size_t> sizes,
                           std::span<const std::uint32_t> widths) {
  return Slicing(grid, ranks, widths).into(sizes);
}

std::optional<Grid> box_of(const Grid& grid, std::span<const Rank> ranks) {
  Cell low = grid.cell_of(ranks.front()), high = low;
  for_each_cell(grid, ranks, [&](const Cell& cell) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      low[i] = std::min(low[i], cell[i]);
      high[i] = std::max(high[i], cell[i]);
    }
  });
  Grid box;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    box.extents.push_back(high[i] - low[i] + 1);
    box.periodic.push_back(grid.wraps(i) && box.extents[i] == grid.extents[i]);
    box.halo.push_back(grid.halo_of(i));
  }
  box.diagonal = grid.diagonal;
  if (box.cells() != ranks.size()) return std::nullopt;
  return box;
}

std::vector<Domain> split_of_box(const Graph& piece, const Grid& box, std::span<const std::size_t> sizes,
                                 std::vector<Domain> known) {
  std::vector<Domain> best = std::move(known);
  Weight least = node_cut(piece, sizes.size(), best).sum;
  const std::vector<Walk> all = walks(box, *std::max_element(sizes.begin(), sizes.end()));
  const std::size_t looked_at = piece.ranks() + 2 * piece.edges();
  const std::size_t tried = std::min(all.size(), std::clamp(kEdgesLookedAt / looked_at, kFewestWalks, kMostWalks));
  for (std::size_t i = 0; i < tried; ++i) {
    std::vector<Domain> part = filled_along(order_of(box, all[i]), sizes);
    const Weight cut = node_cut(piece, sizes.size(), part).sum;
    if (cut >= least) continue;
    least = cut;
    best = std::move(part);
  }
  return best;
}

}  // namespace comity::place
