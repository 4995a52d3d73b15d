// SPDX-License-Identifier: BSD-3-Clause
// Boxes in boxes: they cover the grid, each cell once, and their shapes are the ones that read least.
#include "place/decompose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.hpp"

namespace {

using namespace comity::place;
using Shape = std::vector<std::int64_t>;

std::vector<std::int32_t> cuts(const Shape& extents, const BoxLevel& level) {
  const Cuts found = decomposed(extents, std::vector{level}).at(0);
  return {found.begin(), found.begin() + static_cast<std::ptrdiff_t>(extents.size())};
}

std::string refusal(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const comity::Error& error) {
    return error.what();
  }
  return "no error";
}

using Pieces = std::vector<std::int32_t>;

TEST(Decompose, TakesTheShapeThatReadsLeast) {
  EXPECT_EQ(cuts({100, 100}, {4}), (Pieces{2, 2}));
  EXPECT_EQ(cuts({64, 64, 64}, {8}), (Pieces{2, 2, 2}));
  EXPECT_EQ(cuts({1024, 999}, {27}), (Pieces{3, 9})) << "not 1x27, which divides evenly and reads more";
  EXPECT_EQ(cuts({5, 16}, {10}), (Pieces{2, 5})) << "20 cells as of 1x10, and fewer faces";
  EXPECT_EQ(cuts({512, 512, 64}, {16}), (Pieces{4, 4, 1}));
}

TEST(Decompose, LeavesRowsWholeWhereShapesAreEqual) {
  EXPECT_EQ(cuts({64, 64}, {2}), (Pieces{2, 1}));
  EXPECT_EQ(cuts({32, 32, 32}, {4}), (Pieces{2, 2, 1}));
}

TEST(Decompose, MakesAsFewCacheBlocksAsFit) {
  EXPECT_EQ(cuts({64, 64}, {0, 4096}), (Pieces{1, 1}));
  EXPECT_EQ(cuts({64, 64}, {0, 4095}), (Pieces{2, 1}));
  EXPECT_EQ(cuts({64, 64}, {0, 1}), (Pieces{64, 64}));
  EXPECT_EQ(cuts({3, 3}, {0, 4}), (Pieces{3, 1})) << "not 2x2";
  EXPECT_EQ(cuts({64, 64}, {0, 2000}), (Pieces{3, 1})) << "not 2x2";
  EXPECT_EQ(cuts({37, 53, 11}, {0, 5000}), (Pieces{1, 5, 1}));
  EXPECT_EQ(cuts({1000, 1000}, {0, 16384}), (Pieces{9, 7})) << "not 8x8";
  for (const std::int64_t most : {7, 100, 5000}) {
    const std::vector<Cuts> found = decomposed(Shape{37, 53, 11}, std::vector<BoxLevel>{{0, most}});
    EXPECT_LE(box_at(Shape{37, 53, 11}, found, Shape{0}).cells(), most);
  }
}

// The slow way: all pieces of all dimensions.
std::int64_t fewest_boxes(const Shape& extents, std::int64_t most_cells) {
  std::int64_t fewest = extents[0] * extents[1] * extents[2];
  for (std::int64_t a = 1; a <= extents[0]; ++a) {
    for (std::int64_t b = 1; b <= extents[1]; ++b) {
      for (std::int64_t c = 1; c <= extents[2]; ++c) {
        const std::int64_t cells = ((extents[0] + a - 1) / a) * ((extents[1] + b - 1) / b) * ((extents[2] + c - 1) / c);
        if (cells <= most_cells) fewest = std::min(fewest, a * b * c);
      }
    }
  }
  return fewest;
}

TEST(Decompose, NoOtherWayHasFewerCacheBlocks) {
  for (const Shape& extents : {Shape{7, 12, 5}, Shape{13, 13, 13}, Shape{1, 31, 24}, Shape{30, 2, 17}}) {
    for (std::int64_t most = 1; most < 150; ++most) {
      const Pieces found = cuts(extents, {0, most});
      EXPECT_EQ(std::int64_t{found[0]} * found[1] * found[2], fewest_boxes(extents, most)) << "of " << most << " cells";
      EXPECT_LE(box_at(extents, decomposed(extents, std::vector<BoxLevel>{{0, most}}), Shape{0}).cells(), most);
    }
  }
}

// Cells that a box reads, with a halo on each side that has a neighbour; of the box that reads most. All boxes are looked at.
std::int64_t read_by(const Shape& extents, const Pieces& pieces) {
  Cuts cuts;
  cuts.fill(1);
  std::copy(pieces.begin(), pieces.end(), cuts.begin());
  std::int64_t boxes = 1, most = 0;
  for (const std::int32_t one : pieces) boxes *= one;
  for (std::int64_t index = 0; index < boxes; ++index) {
    const Box box = box_at(extents, std::vector{cuts}, Shape{index});
    std::int64_t cells = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const bool before = box.first[i] > 0, behind = box.first[i] + box.extent[i] < extents[i];
      cells *= box.extent[i] + (before ? 1 : 0) + (behind ? 1 : 0);
    }
    most = std::max(most, cells);
  }
  return most;
}

// Where one piece alone is longer it lies at the border and has one neighbour.
TEST(Decompose, CountsTheNeighboursThatTheLongestPieceHas) {
  EXPECT_EQ(cuts({33, 25}, {24}), (Pieces{4, 6}));
  EXPECT_EQ(cuts({9, 8}, {7}), (Pieces{1, 7}));
  EXPECT_EQ(cuts({10, 14, 13}, {12}), (Pieces{2, 2, 3}));
  EXPECT_EQ(cuts({12, 13, 13}, {6}), (Pieces{2, 3, 1}));
}

TEST(Decompose, NoOtherShapeReadsLess) {
  for (const Shape& extents : {Shape{7, 12, 5}, Shape{13, 13, 13}, Shape{1, 31, 24}, Shape{30, 2, 17}}) {
    for (std::int64_t parts = 1; parts < 60; ++parts) {
      std::int64_t least = 0;  // of all shapes with a cell in each box; 0: there is none
      for (std::int64_t i = 1; i <= std::min(parts, extents[0]); ++i) {
        for (std::int64_t j = 1; i * j <= parts && j <= extents[1]; ++j) {
          const std::int64_t k = parts / (i * j);
          if (i * j * k != parts || k > extents[2]) continue;
          const Pieces pieces{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), static_cast<std::int32_t>(k)};
          const std::int64_t read = read_by(extents, pieces);
          least = least == 0 ? read : std::min(least, read);
        }
      }
      if (least == 0) continue;
      const Pieces found = cuts(extents, {parts, 0});
      EXPECT_EQ(read_by(extents, found), least) << parts;
    }
  }
}

TEST(Decompose, LooksForTheFewestBoxesOfLargeGridsToo) {
  constexpr std::int64_t kSide = (std::int64_t{1} << 15) - 1;
  const Pieces found = cuts({kSide, kSide, kSide, kSide}, {0, std::int64_t{1} << 38});
  std::int64_t boxes = 1;
  for (const std::int32_t pieces : found) boxes *= pieces;
  EXPECT_LE(boxes, 1 << 22) << "as a cube of powers of two would be cut";
  EXPECT_EQ(refusal([] {
              (void)cuts({std::int64_t{1} << 40, 1 << 20}, {0, 1 << 30});
            }),
            "cut a grid: it would have more than 2^24 boxes");
}

// Every cell of the grid lies in one box of each level.
TEST(Decompose, CoversTheGridOnEachLevel) {
  const Shape extents{13, 7, 10};
  const std::vector<BoxLevel> levels{{6}, {4}, {0, 5}};
  const std::vector<Cuts> found = decomposed(extents, levels);
  std::vector<int> seen(13 * 7 * 10, 0);
  const auto parts = [&](std::size_t level) {
    return std::int64_t{found[level][0]} * found[level][1] * found[level][2];
  };
  EXPECT_EQ(parts(0), 6);
  EXPECT_EQ(parts(1), 4);
  for (std::int64_t rank = 0; rank < parts(0); ++rank) {
    for (std::int64_t thread = 0; thread < parts(1); ++thread) {
      EXPECT_GT(box_at(extents, found, Shape{rank, thread}).cells(), 0);
      for (std::int64_t block = 0; block < parts(2); ++block) {
        const Box box = box_at(extents, found, Shape{rank, thread, block});
        EXPECT_LE(box.cells(), 5);
        for (std::int64_t i = box.first[0]; i < box.first[0] + box.extent[0]; ++i) {
          for (std::int64_t j = box.first[1]; j < box.first[1] + box.extent[1]; ++j) {
            for (std::int64_t k = box.first[2]; k < box.first[2] + box.extent[2]; ++k) {
              ++seen.at(static_cast<std::size_t>((i * 7 + j) * 10 + k));
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

TEST(Decompose, RefusesWhatCannotBe) {
  EXPECT_EQ(
      refusal([] {
        (void)cuts({2, 3}, {7});
      }),
      "cut boxes of 2x3 at level 0: 7 boxes do not come out of it, each with a cell at least; ask for another number");
  EXPECT_EQ(refusal([] {
              (void)cuts({2, 3}, {});
            }),
            "cut boxes of 2x3 at level 0: say how many parts, or how many cells a box has at most");
  EXPECT_EQ(refusal([] {
              (void)cuts({8, 8}, {2, 31});
            }),
            "cut boxes of 8x8 at level 0: the largest of 2 boxes has 32 cells, more than 31; ask for more boxes");
  EXPECT_EQ(refusal([] {
              (void)cuts({2, 0}, {1});
            }),
            "cut a grid: dimension 1 has 0 cells; each has 1 to 2^40, and all together 2^60 at most");
  const std::vector<Cuts> found = decomposed(Shape{8, 8}, std::vector<BoxLevel>{{4}});
  EXPECT_EQ(refusal([&] {
              (void)box_at(Shape{8, 8}, found, Shape{4});
            }),
            "find a box: level 0 has boxes 0 to 3, not 4");
}

}  // namespace
