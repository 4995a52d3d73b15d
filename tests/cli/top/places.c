/* SPDX-License-Identifier: BSD-3-Clause */
/* places FOLDER CPU CPU: four ranks that stay at known places until the file FOLDER/go is there and FOLDER/wake, a FIFO, has
 * been written to. Rank 0 computes in region "work" on the first CPU, 1 is in MPI_Recv on the second, 2 in MPI_Barrier of a
 * communicator on both, 3 asleep in region "night/nap" on the second; it has a fork child too, which rests.
 * Each rank says in FOLDER/rank-<r> which process it is. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <comity/region.h>

static const char* folder;

static const char* in_folder(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void fail(const char* what) {
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void bind_to(const int* cpus, int count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < count; ++i) CPU_SET(cpus[i], &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("bind");
}

static void say_who_i_am(int rank, pid_t child) {
  char name[32], whole[4096];
  snprintf(name, sizeof name, "rank-%d", rank);
  snprintf(whole, sizeof whole, "%s", in_folder(name));
  FILE* file = fopen(in_folder("unfinished"), "w");
  if (file == NULL) fail("say who I am");
  fprintf(file, "%d %d\n", (int)getpid(), (int)child);
  fclose(file);
  if (rename(in_folder("unfinished"), whole) != 0) fail("say who I am");
}

static void compute(void) {
  volatile double sum = 0;
  comity_region_begin("work");
  while (access(in_folder("go"), F_OK) != 0) {
    for (int i = 0; i < 1000000; ++i) sum += 1.0 / (i + 1);
  }
  comity_region_end();
}

static void nap(void) {
  char byte;
  comity_region_begin("night");
  comity_region_begin("nap");
  const int wake = open(in_folder("wake"), O_RDONLY); /* sleeps until somebody opens the other end */
  if (wake < 0 || read(wake, &byte, 1) != 1) fail("sleep");
  close(wake);
  comity_region_end();
  comity_region_end();
}

/* Ends when its parent closes the pipe, or ends. */
static pid_t resting_child(int* pipe_end) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) fail("make a pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    (void)!read(ends[0], &byte, 1);
    _exit(0);
  }
  close(ends[0]);
  *pipe_end = ends[1];
  return child;
}

int main(int argc, char** argv) {
  int rank, size, pipe_end = -1, number = 7;
  pid_t child = 0;
  MPI_Comm pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4 || size != 4) {
    fprintf(stderr, "usage: four ranks of places FOLDER CPU CPU\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  folder = argv[1];
  const int cpus[2] = {atoi(argv[2]), atoi(argv[3])};
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &pair);
  bind_to(rank == 0 || rank == 2 ? cpus : cpus + 1, rank == 2 ? 2 : 1);
  if (rank == 3) child = resting_child(&pipe_end);
  for (int turn = 0; turn < size; ++turn) { /* one name is taken by one after the other */
    if (turn == rank) say_who_i_am(rank, child);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    compute();
    MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0 || rank == 2) MPI_Barrier(pair);
  if (rank == 3) {
    nap();
    close(pipe_end);
    waitpid(child, NULL, 0);
  }
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
