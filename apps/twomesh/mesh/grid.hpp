// SPDX-License-Identifier: BSD-3-Clause
// A uniform grid over a rectangle that starts at the origin, and rectangles of its cells.
#pragma once

#include <cstddef>

namespace twomesh {

// Cells [x0, x1) x [y0, y1) of a grid.
struct Rect {
  int x0 = 0, x1 = 0, y0 = 0, y1 = 0;

  [[nodiscard]] int width() const { return x1 - x0; }
  [[nodiscard]] int height() const { return y1 - y0; }
  [[nodiscard]] bool empty() const { return x1 <= x0 || y1 <= y0; }
  [[nodiscard]] std::size_t cells() const {
    return empty() ? 0 : static_cast<std::size_t>(width()) * static_cast<std::size_t>(height());
  }
  bool operator==(const Rect&) const = default;
};

[[nodiscard]] constexpr Rect intersection(const Rect& a, const Rect& b) {
  return {a.x0 > b.x0 ? a.x0 : b.x0, a.x1 < b.x1 ? a.x1 : b.x1, a.y0 > b.y0 ? a.y0 : b.y0, a.y1 < b.y1 ? a.y1 : b.y1};
}

struct Grid {
  int nx = 0, ny = 0;         // [cells]
  double lx = 1.0, ly = 1.0;  // extent of the rectangle

  [[nodiscard]] double dx() const { return lx / nx; }
  [[nodiscard]] double dy() const { return ly / ny; }
  [[nodiscard]] double x_centre(int i) const { return (i + 0.5) * dx(); }
  [[nodiscard]] double y_centre(int j) const { return (j + 0.5) * dy(); }
};

}  // namespace twomesh
