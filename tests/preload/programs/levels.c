/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls at known levels of MPI_Pcontrol: 1 barrier as the run begins, 2 at level 3, 4 in region "solve" at level 3, none that
 * counts at level 0, 8 at level 2, which is as 1; levels with words behind them as other tools take them. */
#include <mpi.h>

#include <comity/comity.h>

static void barriers(int count) {
  while (count-- > 0) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  barriers(1);
  MPI_Pcontrol(3, "solver", 42);
  barriers(2);
  comity_region_begin("solve");
  barriers(4);
  comity_region_end();
  MPI_Pcontrol(0);
  barriers(16);
  MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  MPI_Pcontrol(2);
  barriers(8);
  MPI_Pcontrol(1);
  MPI_Finalize();
  return 0;
}
