// SPDX-License-Identifier: BSD-3-Clause
// How programs of which ranks are killed begin and end, as keep_going_test.sh expects it.
#pragma once

#include <comity/comity_mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace comity::testing {

inline std::vector<int> pids_of_all(int size) {
  std::vector<int> pids(static_cast<std::size_t>(size));
  const int mine = ::getpid();
  MPI_Allgather(&mine, 1, MPI_INT, pids.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return pids;
}

[[nodiscard]] inline bool last_error_names(int victim) {
  return std::strstr(comity_last_error(), ("rank " + std::to_string(victim)).c_str()) != nullptr;
}

// A barrier that `last` leaves when all others have left theirs: who leaves one knows only that all have come to it, and may
// still owe another rank a message, for which that would wait for ever if it died.
inline void leave_barrier_last(MPI_Comm ranks, int last) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  MPI_Barrier(ranks);
  constexpr int kLeft = 77;
  if (rank != last) MPI_Send(nullptr, 0, MPI_INT, last, kLeft, ranks);
  for (int other = 0; rank == last && other < size; ++other) {
    if (other != last) MPI_Recv(nullptr, 0, MPI_INT, other, kLeft, ranks, MPI_STATUS_IGNORE);
  }
}

[[noreturn]] inline void end_as_survivor(int rank, int others, int failed) {
  if (failed == 0) std::printf("rank %d survived %d others\n", rank, others);
  std::fflush(stdout);
  _exit(failed);  // MPI_Finalize would wait for the dead
}

}  // namespace comity::testing
