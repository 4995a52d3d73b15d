// SPDX-License-Identifier: BSD-3-Clause
// One field on a rank's rows of L1's mesh, with a ghost row below and above and a ghost column on either side. The
// domain is periodic: ghost columns repeat the row's other end, ghost rows belong to the neighbours in y.
#pragma once

#include <cstddef>
#include <vector>

namespace twomesh::l1 {

class RowField {
 public:
  RowField(int nx, int rows)
      : nx_(nx), rows_(rows), values_(static_cast<std::size_t>(nx + 2) * static_cast<std::size_t>(rows + 2), 0.0) {}

  [[nodiscard]] int nx() const { return nx_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] std::ptrdiff_t pitch() const { return nx_ + 2; }
  // Cell 0 of row j, j in -1 .. rows; cells -1 and nx are the ghosts.
  [[nodiscard]] double* row(int j) { return values_.data() + (j + 1) * pitch() + 1; }
  [[nodiscard]] const double* row(int j) const { return values_.data() + (j + 1) * pitch() + 1; }
  void wrap_row(int j) {
    double* cells = row(j);
    cells[-1] = cells[nx_ - 1];
    cells[nx_] = cells[0];
  }

 private:
  int nx_, rows_;
  std::vector<double> values_;
};

}  // namespace twomesh::l1
