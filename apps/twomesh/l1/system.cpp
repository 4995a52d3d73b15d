// SPDX-License-Identifier: BSD-3-Clause
#include "l1/system.hpp"

#include <array>

namespace twomesh::l1 {
namespace {

constexpr int kLanes = 8;

// Zero where neither side conducts.
double harmonic_mean(double a, double b) { return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0; }

// out[i] = scale * harmonic mean of a[i] and b[i].
void couple(const double* __restrict a, const double* __restrict b, double scale, int count, double* __restrict out) {
  for (int i = 0; i < count; ++i) out[i] = scale * harmonic_mean(a[i], b[i]);
}

}  // namespace

double ordered_dot(const double* a, const double* b, int count) {
  std::array<double, kLanes> lanes{};
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[static_cast<std::size_t>(lane)] += a[i + lane] * b[i + lane];
  }
  for (; i < count; ++i) lanes[static_cast<std::size_t>(i % kLanes)] += a[i] * b[i];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

void assemble_strip(System& system, const RowField& conductivity, const RowField& heat_capacity, double dt_over_dx2,
                    double dt_over_dy2, const Strip& strip) {
  const int nx = conductivity.nx();
  for (int j = strip.begin; j < strip.end; ++j) {
    couple(conductivity.row(j) - 1, conductivity.row(j), dt_over_dx2, nx + 1, system.west.row(j));
    couple(conductivity.row(j - 1), conductivity.row(j), dt_over_dy2, nx, system.south.row(j));
    // The upper faces are computed, not read: their row may be another strip's, which a thread is filling right now.
    const double* __restrict above = conductivity.row(j + 1);
    const double* __restrict here = conductivity.row(j);
    const double* __restrict capacity = heat_capacity.row(j);
    const double* __restrict west = system.west.row(j);
    const double* __restrict south = system.south.row(j);
    double* __restrict diagonal = system.diagonal.row(j);
    double* __restrict inverse = system.inverse_diagonal.row(j);
#pragma omp simd
    for (int i = 0; i < nx; ++i) {
      const double north = dt_over_dy2 * harmonic_mean(here[i], above[i]);
      diagonal[i] = capacity[i] + (west[i] + west[i + 1]) + (south[i] + north);
      inverse[i] = 1.0 / diagonal[i];
    }
    if (j + 1 == conductivity.rows()) couple(here, above, dt_over_dy2, nx, system.south.row(j + 1));
  }
}

double apply_strip(const System& system, const RowField& field, RowField& product, const Strip& strip) {
  const int nx = field.nx();
  double sum = 0.0;
  for (int j = strip.begin; j < strip.end; ++j) {
    const double* __restrict here = field.row(j);
    const double* __restrict below = field.row(j - 1);
    const double* __restrict above = field.row(j + 1);
    const double* __restrict west = system.west.row(j);
    const double* __restrict south = system.south.row(j);
    const double* __restrict north = system.south.row(j + 1);
    const double* __restrict diagonal = system.diagonal.row(j);
    double* __restrict out = product.row(j);
    for (int i = 0; i < nx; ++i) {
      out[i] = diagonal[i] * here[i] -
               ((west[i] * here[i - 1] + west[i + 1] * here[i + 1]) + (south[i] * below[i] + north[i] * above[i]));
    }
    sum += ordered_dot(here, out, nx);
  }
  return sum;
}

void heat_gain_strip(const System& system, const RowField& temperature, RowField& gain, const Strip& strip) {
  const int nx = temperature.nx();
  for (int j = strip.begin; j < strip.end; ++j) {
    const double* __restrict here = temperature.row(j);
    const double* __restrict below = temperature.row(j - 1);
    const double* __restrict above = temperature.row(j + 1);
    const double* __restrict west = system.west.row(j);
    const double* __restrict south = system.south.row(j);
    const double* __restrict north = system.south.row(j + 1);
    double* __restrict out = gain.row(j);
    for (int i = 0; i < nx; ++i) {
      const double from_west = west[i] * (here[i - 1] - here[i]);
      const double to_east = west[i + 1] * (here[i] - here[i + 1]);
      const double from_south = south[i] * (below[i] - here[i]);
      const double to_north = north[i] * (here[i] - above[i]);
      out[i] = (from_west - to_east) + (from_south - to_north);
    }
  }
}

}  // namespace twomesh::l1
