/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rank says how many share its node, and of which MPI the library is that it runs with. */
#include <comity/comity_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void check(comity_status status) {
  if (status == COMITY_OK) return;
  fprintf(stderr, "%s: %s\n", comity_status_name(status), comity_last_error());
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

int main(int argc, char** argv) {
  comity_context* context = NULL;
  int32_t size = 0;
  int32_t rank = 0;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Init(&argc, &argv);
  MPI_Get_library_version(library, &length);
  check(comity_context_create(MPI_COMM_WORLD, &context));
  check(comity_context_rank(context, &rank));
  check(comity_context_size(context, &size));
  check(comity_context_quiesce(context, NULL, 0, COMITY_FOREVER));
  printf("c: rank %d of %d, comity %s, %.9s\n", (int)rank, (int)size, comity_version(), library);
  check(comity_context_free(&context));
  MPI_Finalize();
  return 0;
}
