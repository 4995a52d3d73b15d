/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stddef.h>

void work(void) {
  MPI_Init(NULL, NULL);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
