// SPDX-License-Identifier: BSD-3-Clause
// WaitKind: the calls in which ranks wait for rank 0, and what it does to let them go on.
#pragma once

#include <mpi.h>

#include <array>

#include "common/world.hpp"

namespace bench::coop {

struct WaitKind {
  const char* name;
  void (*wait)();                       // on the others
  void (*release)(const World& world);  // on rank 0
};

inline constexpr int kReleaseTag = 3;

inline void wait_in_barrier() { MPI_Barrier(MPI_COMM_WORLD); }
inline void come_to_barrier(const World& /*world*/) { wait_in_barrier(); }

inline void wait_in_recv() {
  int word = 0;
  MPI_Recv(&word, 1, MPI_INT, 0, kReleaseTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

inline void wait_in_wait() {
  int word = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&word, 1, MPI_INT, 0, kReleaseTag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

inline void send_to_all(const World& world) {
  const int word = 1;
  for (int rank = 1; rank < world.size; ++rank) MPI_Send(&word, 1, MPI_INT, rank, kReleaseTag, MPI_COMM_WORLD);
}

inline void wait_in_allreduce() {
  double mine = 1;
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
inline void come_to_allreduce(const World& /*world*/) { wait_in_allreduce(); }

inline constexpr std::array kWaitKinds{
    WaitKind{"barrier", wait_in_barrier, come_to_barrier},
    WaitKind{"recv", wait_in_recv, send_to_all},
    WaitKind{"wait", wait_in_wait, send_to_all},
    WaitKind{"allreduce", wait_in_allreduce, come_to_allreduce},
};

}  // namespace bench::coop
