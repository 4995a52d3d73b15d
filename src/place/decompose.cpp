// SPDX-License-Identifier: BSD-3-Clause
#include "place/decompose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "base/error.hpp"

namespace comity::place {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 40;
constexpr std::int64_t kMostCells = std::int64_t{1} << 60;
constexpr std::int64_t kMostParts = kMostRanks;

Extents checked(std::span<const std::int64_t> extents) {
  if (extents.empty() || extents.size() > kMostDimensions) {
    throw Error(Status::range, "cut a grid of " + std::to_string(extents.size()) + " dimensions: it has 1 to " +
                                   std::to_string(kMostDimensions));
  }
  Extents all;
  all.fill(1);
  std::int64_t cells = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 1 || extents[i] > kMostExtent || extents[i] > kMostCells / cells) {
      throw Error(Status::range, "cut a grid: dimension " + std::to_string(i) + " has " + std::to_string(extents[i]) +
                                     " cells; each has 1 to 2^40, and all together 2^60 at most");
    }
    all[i] = extents[i];
    cells *= extents[i];
  }
  return all;
}

Extents largest_box(const Extents& box, const Cuts& cuts) {
  Extents largest;
  for (std::size_t i = 0; i < kMostDimensions; ++i) largest[i] = (box[i] + cuts[i] - 1) / cuts[i];
  return largest;
}

Extents smallest_box(const Extents& box, const Cuts& cuts) {
  Extents smallest;
  for (std::size_t i = 0; i < kMostDimensions; ++i) smallest[i] = box[i] / cuts[i];
  return smallest;
}

// Of one level.
struct Sizes {
  Extents largest, smallest;
};

std::int64_t cells_of(const Extents& extents) {
  std::int64_t all = 1;
  for (const std::int64_t one : extents) all *= one;
  return all;
}

double product(const Extents& extents) {
  double all = 1;
  for (const std::int64_t one : extents) all *= static_cast<double>(one);
  return all;
}

std::int64_t divided_up(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

// What the pieces of a dimension read at most: a cell beyond each side that has a neighbour. The longer pieces come first (box_at), so where
// one alone is longer it lies at the border, and those between two others are a cell shorter.
std::int64_t most_read(std::int64_t extent, std::int64_t pieces) {
  const std::int64_t longest = divided_up(extent, pieces);
  if (pieces <= 2) return longest + pieces - 1;
  return longest + (extent % pieces == 1 ? 1 : 2);
}

// The best of all ways to write a number of parts as a product of cuts, by what the box reads that reads most; of equal ways the one that cuts
// through fewer faces, and then the one that leaves rows in memory, the last dimension, whole.
class Factors {
 public:
  // At most so many pieces of a dimension, and so many cells in a box.
  Factors(const Extents& box, const Extents& most_pieces, std::int64_t most_cells, std::int64_t parts)
      : box_(box), most_pieces_(most_pieces), most_cells_(most_cells) {
    Cuts cuts;
    cuts.fill(1);
    choose(cuts, 0, parts);
  }

  [[nodiscard]] bool found() const { return found_; }
  [[nodiscard]] const Cuts& best() const { return best_; }

 private:
  using Worth = std::tuple<double, double, Cuts>;

  void choose(Cuts& cuts, std::size_t dimension, std::int64_t left) {
    if (dimension + 1 == kMostDimensions) {
      if (left > most_pieces_[dimension]) return;
      cuts[dimension] = static_cast<std::int32_t>(left);
      weigh(cuts);
      return;
    }
    for (std::int64_t pieces = 1; pieces * pieces <= left; ++pieces) {
      if (left % pieces != 0) continue;
      for (const std::int64_t one : {pieces, left / pieces}) {
        if (one > most_pieces_[dimension]) continue;
        cuts[dimension] = static_cast<std::int32_t>(one);
        choose(cuts, dimension + 1, left / one);
      }
    }
  }

  void weigh(const Cuts& cuts) {
    const Extents largest = largest_box(box_, cuts);
    if (cells_of(largest) > most_cells_) return;
    double read = 1, faces = 0;
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
      read *= static_cast<double>(most_read(box_[i], cuts[i]));
      faces += (cuts[i] - 1) * (product(box_) / static_cast<double>(box_[i]));
    }
    Cuts backwards;
    std::reverse_copy(cuts.begin(), cuts.end(), backwards.begin());
    Worth worth{read, faces, backwards};
    if (found_ && worth >= worth_) return;
    found_ = true;
    worth_ = worth;
    best_ = cuts;
  }

  const Extents& box_;
  const Extents& most_pieces_;
  std::int64_t most_cells_;
  bool found_ = false;
  Worth worth_;
  Cuts best_{};
};

// The fewest boxes of at most so many cells: all widths of boxes are tried in all dimensions but the longest, where the width is
// what the others leave; each width with the fewest pieces that give it, so a dimension of n cells has twice the root of n of them.
class FewestBoxes {
 public:
  FewestBoxes(const Extents& box, std::int64_t most_cells) : box_(box) {
    std::sort(box_.begin(), box_.end());
    std::int64_t rest = 1;
    for (std::size_t i = kMostDimensions; i-- > 0;) rest_[i] = static_cast<double>(rest *= box_[i]);
    most_cells = std::min(most_cells, rest);
    least_ = divided_up(rest, most_cells);
    choose(0, 1, most_cells);
  }

  // More than kMostParts where there are more.
  [[nodiscard]] std::int64_t count() const { return fewest_; }

 private:
  void choose(std::size_t dimension, std::int64_t boxes, std::int64_t cells) {
    const std::int64_t extent = box_[dimension];
    if (dimension + 1 == kMostDimensions) {
      const std::int64_t pieces = divided_up(extent, std::min(cells, extent));
      if (pieces < fewest_) fewest_ = std::min(fewest_, boxes * pieces);
      return;
    }
    for (std::int64_t pieces = 1; pieces < fewest_ && boxes * pieces < fewest_ && fewest_ > least_;) {
      const std::int64_t width = divided_up(extent, pieces);
      if (width <= cells && could_be_fewer(dimension + 1, boxes * pieces, cells / width)) {
        choose(dimension + 1, boxes * pieces, cells / width);
      }
      if (width == 1) return;
      pieces = divided_up(extent, width - 1);  // the fewest that make boxes less wide
    }
  }

  // Of the dimensions that are left no box can have more than so many cells.
  [[nodiscard]] bool could_be_fewer(std::size_t dimension, std::int64_t boxes, std::int64_t cells) const {
    return static_cast<double>(boxes) * std::floor(rest_[dimension] / static_cast<double>(cells)) <
           static_cast<double>(fewest_);
  }

  Extents box_;                                 // the longest side last
  std::array<double, kMostDimensions> rest_{};  // of each dimension: cells of it and those behind it
  std::int64_t least_ = 1;
  std::int64_t fewest_ = kMostParts + 1;
};

std::string text_of(const Extents& box, std::size_t dimensions) {
  std::string text;
  for (std::size_t i = 0; i < dimensions; ++i) text += (i == 0 ? "" : "x") + std::to_string(box[i]);
  return text;
}

// Of the ways with fewest boxes the one that reads least.
Cuts within(const Extents& box, std::int64_t most_cells) {
  const std::int64_t boxes = FewestBoxes(box, most_cells).count();
  if (boxes > kMostParts) throw Error(Status::range, "cut a grid: it would have more than 2^24 boxes");
  return Factors(box, box, most_cells, boxes).best();
}

Cuts cut_level(const Sizes& boxes, std::size_t dimensions, const BoxLevel& wanted, std::size_t level) {
  const Extents& box = boxes.largest;
  const std::string what = "cut boxes of " + text_of(boxes.smallest, dimensions) + " at level " + std::to_string(level);
  if (wanted.parts < 0 || wanted.parts > kMostParts || wanted.most_cells < 0) {
    throw Error(Status::range, what + ": parts are 0 to 2^24, and cells 0 or more");
  }
  if (wanted.parts == 0 && wanted.most_cells == 0) {
    throw Error(Status::range, what + ": say how many parts, or how many cells a box has at most");
  }
  if (wanted.parts == 0) return within(box, wanted.most_cells);
  const Factors factors(box, boxes.smallest, std::numeric_limits<std::int64_t>::max(), wanted.parts);
  if (!factors.found()) {
    throw Error(Status::range, what + ": " + std::to_string(wanted.parts) +
                                   " boxes do not come out of it, each with a cell at least; ask for another number");
  }
  const double cells = product(largest_box(box, factors.best()));
  if (wanted.most_cells > 0 && cells > static_cast<double>(wanted.most_cells)) {
    throw Error(Status::range, what + ": the largest of " + std::to_string(wanted.parts) + " boxes has " +
                                   std::to_string(static_cast<std::int64_t>(cells)) + " cells, more than " +
                                   std::to_string(wanted.most_cells) + "; ask for more boxes");
  }
  return factors.best();
}

}  // namespace

std::int64_t Box::cells() const { return cells_of(extent); }

std::vector<Cuts> decomposed(std::span<const std::int64_t> extents, std::span<const BoxLevel> levels) {
  const Extents whole = checked(extents);
  Sizes boxes{whole, whole};
  std::vector<Cuts> cuts;
  for (const BoxLevel& level : levels) {
    cuts.push_back(cut_level(boxes, extents.size(), level, cuts.size()));
    boxes = {largest_box(boxes.largest, cuts.back()), smallest_box(boxes.smallest, cuts.back())};
  }
  return cuts;
}

Box box_at(std::span<const std::int64_t> extents, std::span<const Cuts> cuts, std::span<const std::int64_t> index) {
  Box box{{}, checked(extents)};
  for (std::size_t level = 0; level < index.size(); ++level) {
    std::int64_t parts = 1;
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
      const std::int64_t pieces = cuts[level][i];
      if (pieces < 1 || parts * pieces > kMostParts) {
        throw Error(Status::range, "find a box: level " + std::to_string(level) + " has cuts that cannot be; take " +
                                       "those of comity_place_decompose");
      }
      parts *= pieces;
    }
    if (index[level] < 0 || index[level] >= parts) {
      throw Error(Status::range, "find a box: level " + std::to_string(level) + " has boxes 0 to " +
                                     std::to_string(parts - 1) + ", not " + std::to_string(index[level]));
    }
    std::int64_t left = index[level];
    for (std::size_t i = kMostDimensions; i-- > 0;) {
      const std::int64_t pieces = cuts[level][i], piece = left % pieces;
      left /= pieces;
      const std::int64_t each = box.extent[i] / pieces, longer = box.extent[i] % pieces;
      box.first[i] += piece * each + std::min(piece, longer);
      box.extent[i] = each + (piece < longer ? 1 : 0);
    }
  }
  return box;
}

}  // namespace comity::place
