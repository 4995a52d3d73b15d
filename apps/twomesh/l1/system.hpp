// SPDX-License-Identifier: BSD-3-Clause
// The linear system of one backward Euler step of heat conduction, a symmetric positive definite five-point matrix:
// diagonal T(i,j) - west(i) T(i-1,j) - west(i+1) T(i+1,j) - south(j) T(i,j-1) - south(j+1) T(i,j+1) = right_hand.
#pragma once

#include "l1/row_field.hpp"
#include "l1/strips.hpp"

namespace twomesh::l1 {

struct System {
  System(int nx, int rows)
      : west(nx, rows), south(nx, rows), diagonal(nx, rows), inverse_diagonal(nx, rows), right_hand(nx, rows) {}

  RowField west;   // coupling through the face between i - 1 and i, i in 0 .. nx
  RowField south;  // coupling through the face between rows j - 1 and j, j in 0 .. rows
  RowField diagonal, inverse_diagonal, right_hand;
};

// Couplings from the conductivity of the cells (ghost rows and columns filled) by its harmonic mean at each face, and
// the diagonal from them and the heat capacity per volume. Both depend on the strip's rows and their neighbours only.
void assemble_strip(System& system, const RowField& conductivity, const RowField& heat_capacity, double dt_over_dx2,
                    double dt_over_dy2, const Strip& strip);

// product = A field on the strip; field's ghost rows and columns are filled. Returns the strip's part of (field,
// product).
double apply_strip(const System& system, const RowField& field, RowField& product, const Strip& strip);

// gain = heat that flows into each cell through its four faces, per volume: what conduction adds to the
// energy. Each face's flow is computed alike from both sides, so that gains add up to zero but for rounding.
void heat_gain_strip(const System& system, const RowField& temperature, RowField& gain, const Strip& strip);

// The sum of a[i] b[i] in a fixed order: eight interleaved sums, then pairs.
[[nodiscard]] double ordered_dot(const double* a, const double* b, int count);

}  // namespace twomesh::l1
