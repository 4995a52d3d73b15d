/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

void reduce_in_c(int communicator, double given, double* total) {
  const MPI_Comm here = MPI_Comm_f2c(communicator);
  MPI_Allreduce(&given, total, 1, MPI_DOUBLE, MPI_SUM, here);
  PMPI_Barrier(here);
}
