// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/use.hpp"

#include <algorithm>
#include <cmath>

#include "base/cpu_set.hpp"

namespace comity::metrics {

namespace {

// The main thread computes while it is outside MPI and on a processor; other threads whenever they are on one, but for what
// of that was inside MPI. Both are processor time: a thread that sleeps in a call takes nothing from what others compute.
struct Parts {
  Use use;  // useful_ns: of the main thread
  double others_useful_ns = 0;
};

Parts parts_of(const record::Table& regions, std::size_t row) {
  const auto column = [&](const char* name) { return static_cast<double>(regions.integer(row, name)); };
  Parts parts;
  Use& use = parts.use;
  use.wall_ns = column("wall_ns");
  use.mpi_ns = std::min(column("main_mpi_ns"), use.wall_ns);
  use.others_mpi_ns = column("others_mpi_ns");
  use.others_mpi_cpu_ns = column("others_mpi_cpu_ns");
  const double outside_ns = use.wall_ns - use.mpi_ns;
  use.useful_ns = std::min(column("main_cpu_ns"), outside_ns);
  use.asleep_ns = outside_ns - use.useful_ns;
  parts.others_useful_ns = column("cpu_ns") - column("main_cpu_ns") - use.others_mpi_cpu_ns;
  return parts;
}

Use with_others(Use use, double others_useful_ns, int node) {
  use.node = node;
  use.useful_ns += std::max(0.0, others_useful_ns);
  return use;
}

}  // namespace

Use use_of(const record::Table& regions, std::size_t row, int node) {
  const Parts parts = parts_of(regions, row);
  return with_others(parts.use, parts.others_useful_ns, node);
}

Use use_of_run(const record::Table& regions, int node) {
  Parts sum;
  for (std::size_t row = 0; row < regions.rows(); ++row) {
    const Parts parts = parts_of(regions, row);
    add(sum.use, parts.use);
    sum.others_useful_ns += parts.others_useful_ns;
  }
  return with_others(sum.use, sum.others_useful_ns, node);
}

void add(Use& sum, const Use& more) {
  sum.wall_ns += more.wall_ns;
  sum.useful_ns += more.useful_ns;
  sum.mpi_ns += more.mpi_ns;
  sum.others_mpi_ns += more.others_mpi_ns;
  sum.others_mpi_cpu_ns += more.others_mpi_cpu_ns;
  sum.asleep_ns += more.asleep_ns;
}

// A thread that came and went between two looks at the rank's masks may have had a processor that none of them had.
int used_processors(const record::Table& regions) {
  constexpr double kLeast_ns = 1e8;  // what is shorter the clocks do not tell well
  constexpr double kNearly = 0.1;
  double most = 0;
  double wall_ns = 0;
  double cpu_ns = 0;
  for (std::size_t row = 0; row < regions.rows(); ++row) {
    const auto row_wall_ns = static_cast<double>(regions.integer(row, "wall_ns"));
    const auto row_cpu_ns = static_cast<double>(regions.integer(row, "cpu_ns"));
    wall_ns += row_wall_ns;
    cpu_ns += row_cpu_ns;
    if (row_wall_ns >= kLeast_ns) most = std::max(most, row_cpu_ns / row_wall_ns);
  }
  if (wall_ns >= kLeast_ns) most = std::max(most, cpu_ns / wall_ns);
  return static_cast<int>(std::clamp(std::ceil(most - kNearly), 0.0, static_cast<double>(CpuSet::kCapacity)));
}

}  // namespace comity::metrics
