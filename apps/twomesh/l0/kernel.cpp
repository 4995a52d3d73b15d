// SPDX-License-Identifier: BSD-3-Clause
#include "l0/kernel.hpp"

#include <algorithm>
#include <cmath>

#include "l0/hllc.hpp"
#include "l0/limiter.hpp"

namespace twomesh::l0 {
namespace {

using Arrays = std::array<std::vector<double>, kFields>;

void grow(Arrays& arrays, std::size_t length) {
  for (auto& array : arrays) {
    if (array.size() < length) array.resize(length);
  }
}

// density, momenta, energy -> density, velocities, pressure, over a block with its ghosts.
void to_primitive(const Fields& fields, Arrays& primitive) {
  const std::size_t length = fields[0].size();
  grow(primitive, length);
  const double* __restrict density = fields[kDensity].data();
  const double* __restrict x_momentum = fields[kMomentumX].data();
  const double* __restrict y_momentum = fields[kMomentumY].data();
  const double* __restrict energy = fields[kEnergy].data();
  double* __restrict out_density = primitive[0].data();
  double* __restrict out_x = primitive[1].data();
  double* __restrict out_y = primitive[2].data();
  double* __restrict out_pressure = primitive[3].data();
  for (std::size_t cell = 0; cell < length; ++cell) {
    const double inverse = 1.0 / density[cell];
    const double x = x_momentum[cell] * inverse;
    const double y = y_momentum[cell] * inverse;
    out_density[cell] = density[cell];
    out_x[cell] = x;
    out_y[cell] = y;
    out_pressure[cell] = (kGamma - 1.0) * (energy[cell] - 0.5 * (x_momentum[cell] * x + y_momentum[cell] * y));
  }
}

// slope[i] for `count` cells whose neighbours lie `step` values before and after them.
void limit_row(const double* __restrict centre, std::ptrdiff_t step, int count, double* __restrict slope) {
  const double* __restrict behind = centre - step;
  const double* __restrict ahead = centre + step;
  for (int i = 0; i < count; ++i) slope[i] = limited_slope(centre[i] - behind[i], ahead[i] - centre[i]);
}

// out = centre + factor * slope: the value at one of the cell's faces.
void face_values(const double* __restrict centre, const double* __restrict slope, double factor, int count,
                 double* __restrict out) {
  for (int i = 0; i < count; ++i) out[i] = centre[i] + factor * slope[i];
}

// Fluxes through `count` faces. `normal` is the index of the velocity across the faces, 1 or 2; the fluxes
// come out in the order of the conserved fields.
void face_fluxes(const Arrays& left, const Arrays& right, int normal, int count, Arrays& flux) {
  const auto across = static_cast<std::size_t>(normal);
  const auto along = static_cast<std::size_t>(3 - normal);
  const double* __restrict left_density = left[0].data();
  const double* __restrict left_normal = left[across].data();
  const double* __restrict left_tangential = left[along].data();
  const double* __restrict left_pressure = left[3].data();
  const double* __restrict right_density = right[0].data();
  const double* __restrict right_normal = right[across].data();
  const double* __restrict right_tangential = right[along].data();
  const double* __restrict right_pressure = right[3].data();
  double* __restrict mass = flux[kDensity].data();
  double* __restrict normal_momentum = flux[across].data();
  double* __restrict tangential_momentum = flux[along].data();
  double* __restrict energy = flux[kEnergy].data();
  // Twelve arrays: too many for the compiler to prove apart.
#pragma omp simd
  for (int i = 0; i < count; ++i) {
    const FaceFlux out = hllc_flux({left_density[i], left_normal[i], left_tangential[i], left_pressure[i]},
                                   {right_density[i], right_normal[i], right_tangential[i], right_pressure[i]});
    mass[i] = out.mass;
    normal_momentum[i] = out.normal;
    tangential_momentum[i] = out.tangential;
    energy[i] = out.energy;
  }
}

// rate = -dF/dx, row by row.
void sweep_x(Block& block, double dx, KernelScratch& scratch) {
  const int nx = block.nx();
  const double scale = 1.0 / dx;
  for (int j = 0; j < block.ny(); ++j) {
    for (std::size_t field = 0; field < kFields; ++field) {
      // Cells -1 .. nx have slopes; face i lies between cells i - 1 and i.
      const double* first = scratch.primitive[field].data() + block.at(-1, j);
      double* slope = scratch.slope[field].data();
      limit_row(first, 1, nx + 2, slope);
      face_values(first, slope, 0.5, nx + 1, scratch.left[field].data());
      face_values(first + 1, slope + 1, -0.5, nx + 1, scratch.right[field].data());
    }
    face_fluxes(scratch.left, scratch.right, 1, nx + 1, scratch.flux);
    for (std::size_t field = 0; field < kFields; ++field) {
      const double* __restrict flux = scratch.flux[field].data();
      double* __restrict rate = block.rate[field].data() + block.at(0, j);
      for (int i = 0; i < nx; ++i) rate[i] = scale * (flux[i] - flux[i + 1]);
    }
  }
}

// rate -= dG/dy: faces of row j lie between the cells of rows j - 1 and j.
void sweep_y(Block& block, double dy, KernelScratch& scratch) {
  const int nx = block.nx();
  const int ny = block.ny();
  const double scale = 1.0 / dy;
  const std::ptrdiff_t stride = block.stride();
  for (std::size_t field = 0; field < kFields; ++field) {
    limit_row(scratch.primitive[field].data() + block.at(0, -1), stride, nx, scratch.previous_slope[field].data());
  }
  for (int j = 0; j <= ny; ++j) {
    for (std::size_t field = 0; field < kFields; ++field) {
      const double* row = scratch.primitive[field].data() + block.at(0, j);
      limit_row(row, stride, nx, scratch.slope[field].data());
      face_values(row - stride, scratch.previous_slope[field].data(), 0.5, nx, scratch.left[field].data());
      face_values(row, scratch.slope[field].data(), -0.5, nx, scratch.right[field].data());
      scratch.slope[field].swap(scratch.previous_slope[field]);
    }
    face_fluxes(scratch.left, scratch.right, 2, nx, scratch.flux);
    for (std::size_t field = 0; field < kFields; ++field) {
      const double* __restrict flux = scratch.flux[field].data();
      double* __restrict below = block.rate[field].data() + block.at(0, j - 1);
      double* __restrict above = block.rate[field].data() + block.at(0, j);
      if (j > 0) {
        for (int i = 0; i < nx; ++i) below[i] -= scale * flux[i];
      }
      if (j < ny) {
        for (int i = 0; i < nx; ++i) above[i] += scale * flux[i];
      }
    }
  }
}

// (|u| + c) / dx + (|v| + c) / dy of a row's cells.
void wave_row(const Block& block, int j, double per_x, double per_y, double* __restrict waves) {
  const double* __restrict density = block.state[kDensity].data() + block.at(0, j);
  const double* __restrict x_momentum = block.state[kMomentumX].data() + block.at(0, j);
  const double* __restrict y_momentum = block.state[kMomentumY].data() + block.at(0, j);
  const double* __restrict energy = block.state[kEnergy].data() + block.at(0, j);
  for (int i = 0; i < block.nx(); ++i) {
    const double inverse = 1.0 / density[i];
    const double x = x_momentum[i] * inverse;
    const double y = y_momentum[i] * inverse;
    const double heat = energy[i] * inverse - 0.5 * (x * x + y * y);  // per unit mass
    const double sound = std::sqrt(kGamma * (kGamma - 1.0) * heat);
    waves[i] = (std::fabs(x) + sound) * per_x + (std::fabs(y) + sound) * per_y;
  }
}

}  // namespace

void compute_rates(Block& block, const Fields& fields, double dx, double dy, KernelScratch& scratch) {
  to_primitive(fields, scratch.primitive);
  const auto row = static_cast<std::size_t>(block.stride());
  for (Arrays* arrays : {&scratch.slope, &scratch.previous_slope, &scratch.left, &scratch.right, &scratch.flux}) {
    grow(*arrays, row);
  }
  sweep_x(block, dx, scratch);
  sweep_y(block, dy, scratch);
}

void first_stage(Block& block, double dt) {
  for (std::size_t field = 0; field < kFields; ++field) {
    for (int j = 0; j < block.ny(); ++j) {
      const double* __restrict state = block.state[field].data() + block.at(0, j);
      const double* __restrict rate = block.rate[field].data() + block.at(0, j);
      double* __restrict stage = block.stage[field].data() + block.at(0, j);
      for (int i = 0; i < block.nx(); ++i) stage[i] = state[i] + dt * rate[i];
    }
  }
}

void second_stage(Block& block, double dt) {
  for (std::size_t field = 0; field < kFields; ++field) {
    for (int j = 0; j < block.ny(); ++j) {
      double* __restrict state = block.state[field].data() + block.at(0, j);
      const double* __restrict rate = block.rate[field].data() + block.at(0, j);
      const double* __restrict stage = block.stage[field].data() + block.at(0, j);
      for (int i = 0; i < block.nx(); ++i) state[i] = 0.5 * (state[i] + (stage[i] + dt * rate[i]));
    }
  }
}

double fastest_wave(const Block& block, double dx, double dy) {
  std::vector<double> waves(static_cast<std::size_t>(block.nx()));
  double fastest = 0.0;
  for (int j = 0; j < block.ny(); ++j) {
    wave_row(block, j, 1.0 / dx, 1.0 / dy, waves.data());
    for (const double wave : waves) fastest = std::max(fastest, wave);
  }
  return fastest;
}

std::array<double, kFields> block_sums(const Block& block) {
  std::array<double, kFields> sums{};
  for (std::size_t field = 0; field < kFields; ++field) {
    for (int j = 0; j < block.ny(); ++j) {
      const double* row = block.state[field].data() + block.at(0, j);
      double in_row = 0.0;
      for (int i = 0; i < block.nx(); ++i) in_row += row[i];
      sums[field] += in_row;
    }
  }
  return sums;
}

}  // namespace twomesh::l0
