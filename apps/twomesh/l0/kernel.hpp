// SPDX-License-Identifier: BSD-3-Clause
// What L0 computes on one block, given its ghosts: rates by MUSCL reconstruction of the primitive fields and
// HLLC fluxes, the two stages of SSP-RK2, wave speeds, sums. No MPI, no other block.
#pragma once

#include <array>
#include <vector>

#include "l0/block.hpp"

namespace twomesh::l0 {

// Buffers of compute_rates, kept between calls; they fit every block up to the size they have seen.
struct KernelScratch {
  std::array<std::vector<double>, kFields> primitive;              // density, x and y velocity, pressure
  std::array<std::vector<double>, kFields> slope, previous_slope;  // one row of cells
  std::array<std::vector<double>, kFields> left, right, flux;      // one row of faces
};

// block.rate = -div F(fields); reads two ghosts on each side, not the corners.
void compute_rates(Block& block, const Fields& fields, double dx, double dy, KernelScratch& scratch);

// stage = state + dt rate.
void first_stage(Block& block, double dt);
// state = (state + stage + dt rate) / 2.
void second_stage(Block& block, double dt);

// Largest (|u| + c) / dx + (|v| + c) / dy of the block: the inverse of the longest stable step.
[[nodiscard]] double fastest_wave(const Block& block, double dx, double dy);

// Sum of each conserved field over the block's cells, row by row.
[[nodiscard]] std::array<double, kFields> block_sums(const Block& block);

}  // namespace twomesh::l0
