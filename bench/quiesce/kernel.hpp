// SPDX-License-Identifier: BSD-3-Clause
// Kernel: a fixed amount of twomesh's L1 work, heat conduction by conjugate gradients, on one rank and a team of threads.
// One unit is one implicit step of kIterations iterations. Invariant: units leave the same numbers on any team, so that
// checksum() tells whether two runs did the same work.
#pragma once

#include <cstdint>

#include "l1/conduction.hpp"
#include "l1/neighbourhood.hpp"

namespace bench::quiesce {

class Kernel {
 public:
  // Mesh rows grow with the cores, so that each core's share is the same on every machine.
  explicit Kernel(int cores);

  // Returns how many threads ran, in the narrowest loop: OpenMP may give fewer than it is asked for.
  [[nodiscard]] int run(int units, int threads);
  [[nodiscard]] std::uint64_t checksum() const { return conduction_.solver().history().value(); }

 private:
  void fill_fields();

  twomesh::Tiling tiling_;
  twomesh::l1::LoneRank neighbours_;
  twomesh::l1::Conduction conduction_;
};

}  // namespace bench::quiesce
