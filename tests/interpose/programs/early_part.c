/* SPDX-License-Identifier: BSD-3-Clause */
/* A library of the program that begins MPI before main: before other libraries that are loaded have set themselves up, maybe. */
#include <mpi.h>
#include <string.h>

__attribute__((constructor)) static void before_the_program(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "part") == 0) MPI_Init(&argc, &argv);
}
