// SPDX-License-Identifier: BSD-3-Clause
#include "place/decompose.hpp"

#include <algorithm>
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

double product(const Extents& extents) {
  double all = 1;
  for (const std::int64_t one : extents) all *= static_cast<double>(one);
  return all;
}

// The best of all ways to write a number of parts as a product of cuts. A box reads one cell beyond each side that has a
// neighbour; of equal ways the one that cuts through fewer faces, and then the one that leaves rows in memory, the last
// dimension, whole.
class Factors {
 public:
  Factors(const Sizes& boxes, std::int64_t parts) : box_(boxes.largest), most_(boxes.smallest) {
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
      if (left > most_[dimension]) return;
      cuts[dimension] = static_cast<std::int32_t>(left);
      weigh(cuts);
      return;
    }
    for (std::int64_t pieces = 1; pieces * pieces <= left; ++pieces) {
      if (left % pieces != 0) continue;
      for (const std::int64_t one : {pieces, left / pieces}) {
        if (one > most_[dimension]) continue;
        cuts[dimension] = static_cast<std::int32_t>(one);
        choose(cuts, dimension + 1, left / one);
      }
    }
  }

  void weigh(const Cuts& cuts) {
    const Extents largest = largest_box(box_, cuts);
    double read = 1, faces = 0;
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
      const auto sides = std::min<std::int64_t>(2, cuts[i] - 1);
      read *= static_cast<double>(largest[i] + sides);
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
  const Extents& most_;  // pieces of a dimension, so that the smallest box has a cell for each
  bool found_ = false;
  Worth worth_;
  Cuts best_{};
};

std::string text_of(const Extents& box, std::size_t dimensions) {
  std::string text;
  for (std::size_t i = 0; i < dimensions; ++i) text += (i == 0 ? "" : "x") + std::to_string(box[i]);
  return text;
}

// Fewest boxes of at most so many cells: the longest side is halved as long as a box is too large, and then cuts are
// taken back that are not needed.
Cuts within(const Extents& box, std::int64_t most_cells) {
  Cuts cuts;
  cuts.fill(1);
  const auto fits = [&](const Cuts& tried) {
    return product(largest_box(box, tried)) <= static_cast<double>(most_cells);
  };
  while (!fits(cuts)) {
    // Of equal sides the slowest dimension: rows in memory stay whole.
    const Extents largest = largest_box(box, cuts);
    const auto longest = static_cast<std::size_t>(std::max_element(largest.begin(), largest.end()) - largest.begin());
    if (cuts[longest] >= kMostParts) throw Error(Status::range, "cut a grid: it would have more than 2^24 boxes");
    cuts[longest] = static_cast<std::int32_t>(std::min<std::int64_t>(2 * std::int64_t{cuts[longest]}, box[longest]));
  }
  for (std::size_t i = kMostDimensions; i-- > 0;) {
    std::int32_t low = 1, high = cuts[i];
    while (low < high) {
      cuts[i] = low + (high - low) / 2;
      if (fits(cuts)) {
        high = cuts[i];
      } else {
        low = cuts[i] + 1;
      }
    }
    cuts[i] = high;
  }
  return cuts;
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
  const Factors factors(boxes, wanted.parts);
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

std::int64_t Box::cells() const {
  std::int64_t all = 1;
  for (const std::int64_t one : extent) all *= one;
  return all;
}

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
