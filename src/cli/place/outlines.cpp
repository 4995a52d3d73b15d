// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/outlines.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "cli/common/formatted.hpp"
#include "cli/place/picture.hpp"

namespace comity::cli {
namespace {

using place::Rank;

// What a path takes at most is some 100 bytes and 20 a cell: 30 MB in all.
constexpr std::size_t kMostDrawn = std::size_t{1} << 20U, kManyNodes = 100'000;

// Node numbers of the cells of the picture, row by row.
struct Raster {
  std::size_t rows, columns;
  std::vector<std::uint32_t> node;
};

std::size_t in_steps(std::size_t length, std::size_t step) { return (length + step - 1) / step; }

// The cells themselves, or of each square of them the first one.
Raster raster_of(const Placed& placed, const Plane& plane) {
  const auto [rows, columns] = plane;
  const std::size_t most = placed.plan.nodes() > kManyNodes ? kManyNodes : kMostDrawn;
  std::size_t side = 1;
  while (in_steps(rows, side) * in_steps(columns, side) > most) ++side;
  Raster raster{in_steps(rows, side), in_steps(columns, side), {}};
  raster.node.reserve(raster.rows * raster.columns);
  for (std::size_t y = 0; y < rows; y += side) {
    for (std::size_t x = 0; x < columns; x += side) {
      raster.node.push_back(placed.plan.seat(static_cast<Rank>(y * columns + x)).node);
    }
  }
  return raster;
}

// The borders of one node. Each side of a cell that another node or nobody lies behind is a step with the node to its right; the steps
// form rings, around the node and around what it encloses.
class Border {
 public:
  explicit Border(const Raster& raster) : raster_(raster) {}

  void add_cell(std::size_t cell) {
    const std::size_t x = cell % raster_.columns, y = cell / raster_.columns, right = x + 1, below = y + 1;
    const std::uint32_t own = raster_.node[cell];
    if (y == 0 || raster_.node[cell - raster_.columns] != own) steps_.push_back({corner(x, y), kRight});
    if (right == raster_.columns || raster_.node[cell + 1] != own) steps_.push_back({corner(right, y), kDown});
    if (below == raster_.rows || raster_.node[cell + raster_.columns] != own) {
      steps_.push_back({corner(right, below), kLeft});
    }
    if (x == 0 || raster_.node[cell - 1] != own) steps_.push_back({corner(x, below), kUp});
  }

  // As the data of a path; forgets the cells.
  std::string take() {
    std::sort(steps_.begin(), steps_.end(), [](const Step& one, const Step& other) {
      return std::pair(one.from, one.way) < std::pair(other.from, other.way);
    });
    std::string data;
    for (Step& step : steps_) {
      if (!step.taken) add_ring(step, data);
    }
    steps_.clear();
    return data;
  }

 private:
  enum Way : std::uint8_t { kRight, kDown, kLeft, kUp };

  struct Step {
    std::size_t from;
    Way way;
    bool taken = false;
  };

  // Corners row by row, of which there is one more than cells.
  [[nodiscard]] std::size_t corner(std::size_t x, std::size_t y) const { return y * (raster_.columns + 1) + x; }

  [[nodiscard]] std::size_t end_of(const Step& step) const {
    const std::size_t row = raster_.columns + 1;
    switch (step.way) {
      case kRight:
        return step.from + 1;
      case kDown:
        return step.from + row;
      case kLeft:
        return step.from - 1;
      case kUp:
        break;
    }
    return step.from - row;
  }

  // As many steps begin at a corner as end there.
  [[nodiscard]] Step& next_from(std::size_t from) {
    auto at = std::lower_bound(steps_.begin(), steps_.end(), from,
                               [](const Step& step, std::size_t corner) { return step.from < corner; });
    while (at->taken) ++at;
    return *at;
  }

  // From its topmost corner on; steps in a row are one line, and the last line is the "z".
  void add_ring(Step& first, std::string& data) {
    const std::size_t row = raster_.columns + 1;
    data += text_of("M%zu %zu", first.from % row, first.from / row);
    Step* step = &first;
    step->taken = true;
    int length = 1;
    for (std::size_t at = end_of(first); at != first.from; at = end_of(*step)) {
      Step& next = next_from(at);
      next.taken = true;
      if (next.way == step->way) {
        ++length;
      } else {
        add_line(step->way, length, data);
        length = 1;
      }
      step = &next;
    }
    data += 'z';
  }

  static void add_line(Way way, int length, std::string& data) {
    data += way == kRight || way == kLeft ? 'h' : 'v';
    data += std::to_string(way == kRight || way == kDown ? length : -length);
  }

  const Raster& raster_;
  std::vector<Step> steps_;
};

// Cells by their nodes.
std::vector<std::uint32_t> by_node(const Raster& raster) {
  std::vector<std::uint32_t> cells(raster.node.size());
  std::iota(cells.begin(), cells.end(), 0U);
  std::stable_sort(cells.begin(), cells.end(),
                   [&](std::uint32_t one, std::uint32_t other) { return raster.node[one] < raster.node[other]; });
  return cells;
}

}  // namespace

std::string outlines_svg(const Placed& placed, const Plane& plane) {
  const Raster raster = raster_of(placed, plane);
  std::string svg = text_of(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 -1 %zu %zu\" fill-rule=\"evenodd\" stroke=\"#d33\" "
      "stroke-width=\".2\">\n",
      raster.columns + 2, raster.rows + 2);
  const std::vector<std::uint32_t> cells = by_node(raster);
  Border border(raster);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::uint32_t node = raster.node[cells[i]];
    border.add_cell(cells[i]);
    if (i + 1 < cells.size() && raster.node[cells[i + 1]] == node) continue;
    svg += "<path d=\"" + border.take() + "\" fill=\"" + colour_of_node(node) + "\"><title>node " +
           std::to_string(node) + "</title></path>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace comity::cli
