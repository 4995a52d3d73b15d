/* SPDX-License-Identifier: BSD-3-Clause
 * window FOLDER: ranks with a shared window of 16 MiB each, written by its rank, and 8 MiB of their own. Each says in FOLDER/rank-<r> which
 * process it is, and ends when FOLDER/wake, a FIFO, is opened for writing. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Aint bytes = 16 << 20;
  char* memory;
  MPI_Win window;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory, &window);
  memset(memory, 1, (size_t)bytes);
  char* own = malloc(8 << 20);
  memset(own, 1, 8 << 20);
  MPI_Barrier(MPI_COMM_WORLD);
  char path[4096], part[4096];
  snprintf(path, sizeof path, "%s/rank-%d", words[1], rank);
  snprintf(part, sizeof part, "%.4000s/part-%d", words[1], rank);
  FILE* file = fopen(part, "w");
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  rename(part, path);
  snprintf(path, sizeof path, "%s/wake", words[1]);
  char letter;
  const int wake = open(path, O_RDONLY);
  (void)!read(wake, &letter, 1);
  free(own);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
