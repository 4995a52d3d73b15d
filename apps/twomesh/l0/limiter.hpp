// SPDX-License-Identifier: BSD-3-Clause
// Van Leer's limiter: the slope across a cell from the differences to its two neighbours; zero at an extremum.
#pragma once

namespace twomesh::l0 {

[[nodiscard]] inline double limited_slope(double behind, double ahead) {
  const double product = behind * ahead;
  return product > 0.0 ? 2.0 * product / (behind + ahead) : 0.0;
}

}  // namespace twomesh::l0
