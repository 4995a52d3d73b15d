// SPDX-License-Identifier: BSD-3-Clause
// Waits of each kind on two ranks: three barriers, which sleep where waits are cooperative, four gathers, five locks of a window, and two
// collective writes of a file, which is made in TMPDIR and removed.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static void write_twice(int rank) {
  char path[4096];
  MPI_File file;
  const char* const folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/locks.written", folder == NULL ? "/tmp" : folder);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  for (int i = 0; i < 2; ++i) {
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, value = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* memory = NULL;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < 5; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_unlock(1 - rank, window);
  }
  for (int i = 0; i < 4; ++i) {
    int all[2];
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  write_twice(rank);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
