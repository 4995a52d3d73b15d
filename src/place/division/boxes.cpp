// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/boxes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace comity::place {
namespace {

constexpr std::size_t kMostUnlikeCells = 20'000;  // of a grid whose boxes may differ: there are too many ways else

// What boxes have in a dimension: so many of them are so wide and have others at so many sides.
struct Side {
  std::uint32_t width, open;
  std::size_t count;
  bool ring;  // the box is next to itself
};

using Sides = std::vector<Side>;

std::uint32_t border(std::uint32_t extent, std::uint32_t pieces, std::uint32_t piece) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(extent) * piece / pieces);
}

Sides sides_of(const Grid& grid, std::size_t dimension, std::uint32_t pieces) {
  const std::uint32_t extent = grid.extents[dimension];
  const bool wraps = grid.wraps(dimension);
  if (pieces == 1) return {{extent, 0, 1, wraps}};
  Sides sides;
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    const std::uint32_t width = border(extent, pieces, piece + 1) - border(extent, pieces, piece);
    const std::uint32_t open = wraps || (piece > 0 && piece + 1 < pieces) ? 2 : 1;
    const auto same =
        std::ranges::find_if(sides, [&](const Side& side) { return side.width == width && side.open == open; });
    if (same != sides.end()) {
      ++same->count;
    } else {
      sides.push_back({width, open, 1, false});
    }
  }
  return sides;
}

// One way to cut each dimension.
using Cuts = std::array<const Sides*, kMostDimensions>;
using Box = std::array<const Side*, kMostDimensions>;

// Of one box with all others: along a dimension its surface, by diagonals what is left of all pairs of neighbours.
Weight exchanged(const Grid& grid, const Box& box) {
  Weight cells = 1, pairs = 1, inside = 1;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    const auto width = static_cast<Weight>(box[i]->width);
    const Weight kept = box[i]->ring ? 3 * width : 3 * width - 2;
    cells *= width;
    inside *= kept;
    pairs *= kept + static_cast<Weight>(box[i]->open);
  }
  Weight straight = 0, surfaces = 0;
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    const Weight surface = cells / static_cast<Weight>(box[i]->width) * static_cast<Weight>(box[i]->open);
    surfaces += surface;
    straight += surface * grid.halo_of(i);
  }
  return straight + grid.diagonal * (pairs - inside - surfaces);
}

// Calls visit(box, how many are like it).
template <typename Visit>
void for_each_kind(const Cuts& cuts, std::size_t dimensions, Visit&& visit) {
  std::array<std::size_t, kMostDimensions> at{};
  for (std::size_t i = 0; i < dimensions;) {
    Box box{};
    std::size_t count = 1;
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      box[dimension] = &(*cuts[dimension])[at[dimension]];
      count *= box[dimension]->count;
    }
    visit(box, count);
    for (i = 0; i < dimensions && ++at[i] == cuts[i]->size(); ++i) at[i] = 0;
  }
}

Crossing cut_by(const Grid& grid, const Cuts& cuts) {
  Crossing cut;
  for_each_kind(cuts, grid.dimensions(), [&](const Box& box, std::size_t count) {
    const Weight out = exchanged(grid, box);
    cut.worst = std::max(cut.worst, out);
    cut.sum += out * static_cast<Weight>(count);
  });
  cut.sum /= 2;  // both ends were counted
  return cut;
}

class BoxSearch {
 public:
  BoxSearch(const Grid& grid, const BoxRange& range) : grid_(grid), range_(range) {
    const bool all_ways = grid.cells() <= kMostUnlikeCells;
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(grid.extents[i], range.most));
      for (std::uint32_t pieces = 1; pieces <= most; ++pieces) {
        if (all_ways || grid.extents[i] % pieces == 0) ways_[i].push_back({pieces, sides_of(grid, i, pieces)});
      }
    }
  }

  std::vector<Boxes> run() {
    Boxes boxes;
    boxes.count = 1;
    choose(0, boxes, 1);
    std::vector<Boxes> found;
    for (auto& [count, best] : best_) {
      found.push_back(best.by_worst);
      if (best.by_sum.pieces != best.by_worst.pieces) found.push_back(best.by_sum);
    }
    return found;
  }

 private:
  struct Way {
    std::uint32_t pieces;
    Sides sides;
  };

  struct OfCount {
    Boxes by_worst, by_sum;
  };

  // `largest`: cells of the largest box so far, as long as no other dimension is cut.
  void choose(std::size_t dimension, Boxes boxes, std::size_t largest) {
    if (dimension == grid_.dimensions()) {
      if (boxes.count >= range_.fewest) keep(boxes);
      return;
    }
    const std::size_t count = boxes.count;
    for (const Way& way : ways_[dimension]) {
      boxes.count = count * way.pieces;
      if (boxes.count > range_.most) break;
      const std::size_t widest = (grid_.extents[dimension] + way.pieces - 1) / way.pieces;
      if (largest * widest > range_.room) continue;
      boxes.pieces[dimension] = way.pieces;
      cuts_[dimension] = &way.sides;
      choose(dimension + 1, boxes, largest * widest);
    }
  }

  void keep(Boxes boxes) {
    boxes.cut = cut_by(grid_, cuts_);
    const auto [at, is_first] = best_.try_emplace(boxes.count, OfCount{boxes, boxes});
    if (is_first) return;
    const Crossing &cut = boxes.cut, &worst = at->second.by_worst.cut, &sum = at->second.by_sum.cut;
    if (std::pair(cut.sum, cut.worst) < std::pair(sum.sum, sum.worst)) at->second.by_sum = boxes;
    if (std::pair(cut.worst, cut.sum) < std::pair(worst.worst, worst.sum)) at->second.by_worst = boxes;
  }

  const Grid& grid_;
  const BoxRange& range_;
  std::array<std::vector<Way>, kMostDimensions> ways_;
  Cuts cuts_{};
  std::map<std::size_t, OfCount> best_;
};

}  // namespace

std::vector<Boxes> best_boxes(const Grid& grid, const BoxRange& range) { return BoxSearch(grid, range).run(); }

std::vector<Domain> box_of_each(const Grid& grid, const Boxes& boxes) {
  std::array<std::vector<Domain>, kMostDimensions> piece_of;  // of each layer
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    for (std::uint32_t piece = 0; piece < boxes.pieces[i]; ++piece)
      piece_of[i].resize(border(grid.extents[i], boxes.pieces[i], piece + 1), piece);
  }
  std::vector<Domain> box_of(grid.cells());
  for (Rank rank = 0; rank < box_of.size(); ++rank) {
    const Cell cell = grid.cell_of(rank);
    for (std::size_t i = 0; i < grid.dimensions(); ++i)
      box_of[rank] = box_of[rank] * boxes.pieces[i] + piece_of[i][cell[i]];
  }
  return box_of;
}

}  // namespace comity::place
