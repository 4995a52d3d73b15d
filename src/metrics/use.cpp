// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/use.hpp"

#include <algorithm>

namespace comity::metrics {

// The main thread computes while it is outside MPI and on a processor; other threads whenever they are on one, but for what
// they spend in MPI.
Use use_of(const record::Table& regions, std::size_t row, int node) {
  const auto column = [&](const char* name) { return static_cast<double>(regions.integer(row, name)); };
  Use use;
  use.node = node;
  use.wall_ns = column("wall_ns");
  use.mpi_ns = std::min(column("main_mpi_ns"), use.wall_ns);
  const double outside_ns = use.wall_ns - use.mpi_ns;
  const double main_ns = std::min(column("main_cpu_ns"), outside_ns);
  const double others_ns = std::max(0.0, column("cpu_ns") - column("main_cpu_ns") - column("others_mpi_ns"));
  use.useful_ns = main_ns + others_ns;
  use.asleep_ns = outside_ns - main_ns;
  return use;
}

void add(Use& sum, const Use& more) {
  sum.wall_ns += more.wall_ns;
  sum.useful_ns += more.useful_ns;
  sum.mpi_ns += more.mpi_ns;
  sum.asleep_ns += more.asleep_ns;
}

}  // namespace comity::metrics
