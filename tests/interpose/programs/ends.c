/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls before main, and how a program may end: "finalize" in atexit, "none" not at all. "early" begins MPI before main too, and ends
 * it in atexit; with "part" the library that it is linked with has begun MPI by then (early_part.c). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int begun_before_main = -1;

static int is(const char* way, int argc, char** argv) { return argc > 1 && strcmp(argv[1], way) == 0; }

/* The loader gives constructors what main gets. */
__attribute__((constructor)) static void before_main(int argc, char** argv) {
  if (is("early", argc, argv)) MPI_Init(&argc, &argv);
  MPI_Initialized(&begun_before_main);
}

static void finalize(void) { MPI_Finalize(); }

int main(int argc, char** argv) {
  const int early = is("early", argc, argv) || is("part", argc, argv);
  if (!early) MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (early || strcmp(argv[1], "finalize") == 0) atexit(finalize);
  return begun_before_main == early ? 0 : 1;
}
