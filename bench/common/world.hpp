// SPDX-License-Identifier: BSD-3-Clause
// World: this rank among those of its job.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <csignal>

namespace bench {

struct World {
  int rank;
  int size;
};

[[nodiscard]] inline World this_world() {
  World world{};
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  return world;
}

// Collective: on how many nodes the job runs.
[[nodiscard]] inline int count_nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank = 0;
  MPI_Comm_rank(node, &rank);
  const int first = rank == 0 ? 1 : 0;
  int nodes = 0;
  MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  return nodes;
}

// MPICH 4.0 may hang in MPI_Finalize when ranks are on several nodes. The line is out by then, so this rank ends well soon.
inline void end_even_if_finalize_hangs() {
  constexpr unsigned kPatience_s = 2;
  std::signal(SIGALRM, [](int) { _exit(0); });
  alarm(kPatience_s);
}

}  // namespace bench
