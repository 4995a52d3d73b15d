/* SPDX-License-Identifier: BSD-3-Clause */
/* The same phase in C: three lines around the call of the threaded library.
 *   mpirun -n 4 phase_c */
#include <comity/comity_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void check(comity_status status) {
  if (status == COMITY_OK) return;
  fprintf(stderr, "%s: %s\n", comity_status_name(status), comity_last_error());
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static double threaded_sum(int count) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= count; ++i) sum += 1.0 / i / i;
  return sum;
}

int main(int argc, char** argv) {
  comity_context* context = NULL;
  int32_t selected = 0;
  MPI_Init(&argc, &argv);
  check(comity_context_create(MPI_COMM_WORLD, &context));
  check(comity_context_spread(context, COMITY_CORE));

  check(comity_context_enter(context, COMITY_NUMA, 1, 0, &selected));
  if (selected) printf("%.4f\n", threaded_sum(1000000));
  check(comity_context_leave(context));

  check(comity_context_free(&context));
  MPI_Finalize();
  return 0;
}
