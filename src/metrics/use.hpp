// SPDX-License-Identifier: BSD-3-Clause
// Use: what one rank did with its processors over some stretch of the run.
#pragma once

#include <cstddef>

#include "record/format/table.hpp"

namespace comity::metrics {

struct Use {
  int node = 0;
  double wall_ns = 0;    // between its begin and end
  double useful_ns = 0;  // processor time outside MPI, of all its threads
  double mpi_ns = 0;     // of its main thread inside MPI
  double asleep_ns = 0;  // of its main thread outside MPI, off the processor
};

// What a row of the regions' table says.
[[nodiscard]] Use use_of(const record::Table& regions, std::size_t row, int node);
// But for the node.
void add(Use& sum, const Use& more);

}  // namespace comity::metrics
