/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls before main, and how a program may end: "finalize" in atexit, "none" not at all. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int begun_before_main = -1;

__attribute__((constructor)) static void ask_before_main(void) { MPI_Initialized(&begun_before_main); }

static void finalize(void) { MPI_Finalize(); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "finalize") == 0) atexit(finalize);
  return begun_before_main == 0 ? 0 : 1;
}
