/* SPDX-License-Identifier: BSD-3-Clause */
/* Known numbers of calls, from C. The Fortran programs beside this one make the same calls. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size, count;
  double given = 1.0, got = 0.0;
  double sum, start;
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  MPI_Comm copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  start = MPI_Wtime();
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&given, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) MPI_Bcast(&given, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Irecv(&got, 1, MPI_DOUBLE, (rank + size - 1) % size, 5, copy, &requests[0]);
  MPI_Isend(&given, 1, MPI_DOUBLE, (rank + 1) % size, 5, copy, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
  MPI_Sendrecv(&given, 1, MPI_DOUBLE, (rank + 1) % size, 6, &got, 1, MPI_DOUBLE, (rank + size - 1) % size, 6, copy,
               &status);
  MPI_Comm_free(&copy);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return count == 1 && got == 1.0 && sum == size && start >= 0 ? 0 : 1;
}
