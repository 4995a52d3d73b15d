/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Pcontrol(3, "solver", 42);
  MPI_Finalize();
  return 0;
}
