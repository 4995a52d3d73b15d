// SPDX-License-Identifier: BSD-3-Clause
// Stencil: a reaction and diffusion on a square, by rows over ranks and threads; bulk-synchronous, with the halo exchanged
// at the start of a step and a largest change agreed on at its end. Plain MPI+OpenMP. Invariant: the same numbers on any
// ranks and threads, so that checksum() tells whether two runs did the same work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/world.hpp"

namespace bench::coop {

class Stencil {
 public:
  // units: substeps of the reaction in a step, by which its length is chosen. Throws std::runtime_error where the rows cannot
  // be dealt evenly.
  Stencil(const World& world, int units);

  void step();  // collective
  // Collective; on rank 0.
  [[nodiscard]] std::string checksum() const;

 private:
  void exchange_halo();
  void react_and_diffuse();
  [[nodiscard]] double largest_change() const;

  World world_;
  int units_;
  int rows_;  // mine; one more on each side is the neighbour's
  std::vector<double> field_, next_;
  double change_ = 0;
};

}  // namespace bench::coop
