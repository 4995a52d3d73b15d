/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE 1
/* A job of two ranks, 64 MiB of which come and go unrecorded, and 16 MiB recorded. The word says who switches: "level", the program does; or
   a folder, in which files say that somebody outside has. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMega = 1 << 20 };

static int rank;
char* volatile block; /* else the compiler sees that nobody asks for what is written there */

static void come_and_go(size_t bytes) {
  block = malloc(bytes);
  if (block == NULL) abort();
  memset(block, 1, bytes);
  for (int i = 0; i < 20; ++i) { /* behind which is looked */
    usleep(1000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(block);
}

/* Until the file is there; calls of MPI go on meanwhile. */
static void wait_for(const char* folder, const char* name) {
  char path[4096];
  int is_there = 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  while (!is_there) {
    if (rank == 0) is_there = access(path, F_OK) == 0;
    MPI_Bcast(&is_there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    usleep(2000);
  }
}

/* When all ranks are there. */
static void tell(const char* folder, const char* name) {
  char path[4096];
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* const file = rank == 0 ? fopen(path, "w") : NULL;
  if (file != NULL) fclose(file);
}

int main(int count, char** words) {
  const char* const word = count > 1 ? words[1] : "level";
  const int is_level = strcmp(word, "level") == 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (is_level) {
    MPI_Pcontrol(0);
  } else {
    tell(word, "running");
    wait_for(word, "is-off");
  }
  come_and_go(64 * kMega);
  if (is_level) {
    MPI_Pcontrol(1);
  } else {
    tell(word, "gone");
    wait_for(word, "is-on");
  }
  come_and_go(16 * kMega);
  MPI_Finalize();
  return 0;
}
