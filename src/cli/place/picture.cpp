// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/picture.hpp"

#include <cmath>
#include <map>

#include "base/error.hpp"
#include "cli/common/formatted.hpp"
#include "cli/place/outlines.hpp"

namespace comity::cli {
namespace {

using place::Cell;
using place::Domain;
using place::Rank;

constexpr std::size_t kMostSquares = 20'000;
constexpr int kStep = 36, kSide = 24, kMargin = 30;

// A, B, .. Z, AA, AB, ..
std::string letters(std::size_t number) {
  std::string text;
  for (++number; number > 0; number = (number - 1) / 26)
    text.insert(text.begin(), static_cast<char>('A' + (number - 1) % 26));
  return text;
}

class Picture {
 public:
  Picture(const Placed& placed, const Plane& plane) : placed_(placed), plane_(plane) {}

  std::string draw() {
    const int width = 2 * kMargin + kStep * static_cast<int>(columns()) - kStep + kSide;
    const int height = 2 * kMargin + kStep * static_cast<int>(rows()) - kStep + kSide;
    std::string svg = text_of(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\" "
        "text-anchor=\"middle\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
        width, height);
    for (Rank rank = 0; rank < placed_.graph.ranks(); ++rank) {
      std::map<Rank, unsigned> met;  // how often each other one was, so far
      placed_.graph.for_each_edge(rank, [&](Rank other, place::Weight) { svg += line(rank, other, met[other]++); });
    }
    for (Rank rank = 0; rank < placed_.graph.ranks(); ++rank) svg += square(rank);
    return svg + "</svg>\n";
  }

 private:
  [[nodiscard]] std::size_t rows() const { return plane_.rows; }
  [[nodiscard]] std::size_t columns() const { return plane_.columns; }

  [[nodiscard]] int x(Rank rank) const { return kMargin + kStep * static_cast<int>(rank % columns()) + kSide / 2; }
  [[nodiscard]] int y(Rank rank) const { return kMargin + kStep * static_cast<int>(rank / columns()) + kSide / 2; }

  [[nodiscard]] Domain domain(std::size_t level, Rank rank) const {
    return placed_.site.domain_of(level)[placed_.answer.mapping[rank]];
  }

  // Each exchange is met from both ends and drawn from one; those around the torus leave the picture from both. `met`: how often the
  // other one was met from here before, as in rings of two cells, whose second exchange goes around.
  [[nodiscard]] std::string line(Rank rank, Rank other, unsigned met) const {
    int dx = x(other) - x(rank), dy = y(other) - y(rank);
    const bool row_of_two = dx != 0 && columns() == 2, column_of_two = dy != 0 && rows() == 2;
    const bool around_row = std::abs(dx) > kStep || (row_of_two && met % 2 == 1);
    const bool around_column = std::abs(dy) > kStep || (column_of_two && met / (row_of_two ? 2 : 1) % 2 == 1);
    if (!around_row && !around_column && other < rank) return {};
    if (around_row) dx = (dx > 0 ? -kStep : kStep) * 3 / 4;
    if (around_column) dy = (dy > 0 ? -kStep : kStep) * 3 / 4;
    for (std::size_t level = 0; level < placed_.site.levels().size(); ++level) {
      if (domain(level, rank) == domain(level, other)) continue;
      const bool leaves_node = level <= placed_.site.node_level();
      return leaves_node ? path(rank, dx, dy, "#d33", 2)
                         : path(rank, dx, dy, "#26c", 5) + path(rank, dx, dy, "#fff", 2);
    }
    return path(rank, dx, dy, "#aaa", 1);
  }

  [[nodiscard]] std::string path(Rank rank, int dx, int dy, const char* stroke, int width) const {
    return text_of("<path d=\"M%d %dl%d %d\" stroke=\"%s\" stroke-width=\"%d\"/>\n", x(rank), y(rank), dx, dy, stroke,
                   width);
  }

  [[nodiscard]] std::string square(Rank rank) const {
    const Domain node = placed_.plan.seat(rank).node;
    const std::string title = text_of("rank %u: node %u, core %zu of all", rank, node, placed_.plan.place(rank));
    return text_of(
               "<g><title>%s</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#333\"/>",
               title.c_str(), x(rank) - kSide / 2, y(rank) - kSide / 2, kSide, kSide, colour_of_node(node).c_str()) +
           text_of("<text x=\"%d\" y=\"%d\">%s</text></g>\n", x(rank), y(rank) + 4, letters(node).c_str());
  }

  const Placed& placed_;
  const Plane& plane_;
};

}  // namespace

std::string colour_of_node(std::uint32_t node) {
  constexpr double kGoldenAngle = 137.508;
  return text_of("hsl(%.0f,65%%,82%%)", std::fmod(node * kGoldenAngle, 360.0));
}

std::optional<Plane> plane_of(const place::Grid& grid) {
  std::vector<std::uint32_t> extents = grid.extents;
  if (extents.size() > 2) std::erase(extents, 1U);
  if (extents.size() > 2) return std::nullopt;
  Plane plane;
  if (!extents.empty()) plane.columns = extents.back();
  if (extents.size() == 2) plane.rows = extents.front();
  return plane;
}

std::string placed_svg(const Placed& placed) {
  const std::optional<Plane> plane = placed.grid == nullptr ? std::nullopt : plane_of(*placed.grid);
  if (!plane) {
    throw Error(Status::unsupported,
                "--svg draws grids of one or two dimensions only, besides those of one cell; take --json for others");
  }
  return placed.graph.ranks() > kMostSquares ? outlines_svg(placed, *plane) : Picture(placed, *plane).draw();
}

}  // namespace comity::cli
