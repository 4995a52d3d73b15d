/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool on MPI's profiling interface; at the end it says what it saw. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int barriers;
static int marks; /* MPI_Pcontrol with all its words */

int MPI_Barrier(MPI_Comm communicator) {
  ++barriers;
  return PMPI_Barrier(communicator);
}

int MPI_Pcontrol(const int level, ...) {
  va_list words;
  va_start(words, level);
  const char* const name = va_arg(words, const char*);
  const int number = va_arg(words, int);
  va_end(words);
  marks += level == 3 && strcmp(name, "solver") == 0 && number == 42;
  return PMPI_Pcontrol(level);
}

int MPI_Finalize(void) {
  printf("tool: %d barriers, %d marks\n", barriers, marks);
  return PMPI_Finalize();
}

/* One that makes another call inside. */
int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  int rank;
  MPI_Comm_rank(communicator, &rank);
  return PMPI_Send(buffer, count, type, to, tag, communicator);
}
