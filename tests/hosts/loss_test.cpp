// SPDX-License-Identifier: BSD-3-Clause
// The last rank of a job on several hosts ends before a call that the others make. Who is told says so, and ends.
//   test_hosts_loss first|later|divide     the first create on a communicator, a later one, a division of its ranks
#include <comity/comity_mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "mpi/survivors.hpp"

using comity::testing::leave_barrier_last;

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto asked_for = [&](const char* what) { return std::strcmp(words[1], what) == 0; };
  comity_context* context = nullptr;
  if (!asked_for("first") && comity_context_create(MPI_COMM_WORLD, &context) != COMITY_OK) {
    std::printf("FAIL: %s\n", comity_last_error());
  }
  if (asked_for("later")) (void)comity_context_free(&context);
  leave_barrier_last(MPI_COMM_WORLD, size - 1);
  if (rank == size - 1) ::raise(SIGKILL);
  MPI_Comm machine = MPI_COMM_NULL;
  const comity_status status = asked_for("divide")
                                   ? comity_context_communicator(context, MPI_COMM_WORLD, COMITY_MACHINE, &machine)
                                   : comity_context_create(MPI_COMM_WORLD, &context);
  std::printf("rank %d: %s: %s\n", rank, comity_status_name(status), comity_last_error());
  std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the dead
}
