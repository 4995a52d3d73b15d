// SPDX-License-Identifier: BSD-3-Clause
// Window: a rectangle of a block's cells, ghosts included, and its four fields there and back through a message, bit for
// bit.
#pragma once

#include <algorithm>
#include <cstddef>

#include "l0/block.hpp"

namespace twomesh::l0 {

// Cells [i0, i1) x [j0, j1) of a block.
struct Window {
  int i0, i1, j0, j1;
};

[[nodiscard]] inline Window all_cells(const Block& block) { return {0, block.nx(), 0, block.ny()}; }

[[nodiscard]] inline std::size_t values_in(const Window& window) {
  return static_cast<std::size_t>(window.i1 - window.i0) * static_cast<std::size_t>(window.j1 - window.j0) * kFields;
}

// Both return where the next window begins.
inline double* pack(const Block& block, const Fields& fields, const Window& window, double* out) {
  for (const auto& field : fields) {
    for (int j = window.j0; j < window.j1; ++j) {
      const double* row = field.data() + block.at(window.i0, j);
      out = std::copy(row, row + (window.i1 - window.i0), out);
    }
  }
  return out;
}

inline const double* unpack(const Block& block, Fields& fields, const Window& window, const double* in) {
  for (auto& field : fields) {
    for (int j = window.j0; j < window.j1; ++j) {
      const double* end = in + (window.i1 - window.i0);
      std::copy(in, end, field.data() + block.at(window.i0, j));
      in = end;
    }
  }
  return in;
}

}  // namespace twomesh::l0
