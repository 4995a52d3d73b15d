// SPDX-License-Identifier: BSD-3-Clause
// Use: what one rank did with its processors over some stretch of the run.
#pragma once

#include <cstddef>

#include "record/format/table.hpp"

namespace comity::metrics {

struct Use {
  int node = 0;
  double wall_ns = 0;            // between its begin and end
  double useful_ns = 0;          // processor time outside MPI, of all its threads
  double mpi_ns = 0;             // of its main thread inside MPI
  double others_mpi_ns = 0;      // the same of all other threads, summed up, awake or not
  double others_mpi_cpu_ns = 0;  // processor time of theirs in there
  double asleep_ns = 0;          // of its main thread outside MPI, off the processor
};

// [ns] Of its main thread outside MPI, on a processor: the rest of `wall_ns`.
[[nodiscard]] inline double computation_ns(const Use& use) { return use.wall_ns - use.mpi_ns - use.asleep_ns; }
// What a row of the regions' table says.
[[nodiscard]] Use use_of(const record::Table& regions, std::size_t row, int node);
// What all rows say, of the run as a whole. What other threads computed is told by their sums: a call of theirs counts when it
// ends, maybe in the main thread's next region.
[[nodiscard]] Use use_of_run(const record::Table& regions, int node);
// But for the node.
void add(Use& sum, const Use& more);

// How many processors a rank has used at once, by these rows: at least one of its regions has taken so much processor time.
[[nodiscard]] int used_processors(const record::Table& regions);

}  // namespace comity::metrics
