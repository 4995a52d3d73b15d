// SPDX-License-Identifier: BSD-3-Clause
// finalize: the last rank comes to MPI_Finalize late. The others tell for how long they were in it, and how much of a processor
// they used there, in microseconds.
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { kLate_us = 600000 };

static double wall_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}
static double cpu_us(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
  int me, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == size - 1) usleep(kLate_us);
  const double wall = wall_us(), cpu = cpu_us();
  MPI_Finalize();
  if (me != size - 1) {
    printf("finalize %.0f %.0f\n", wall_us() - wall, cpu_us() - cpu);
    fflush(stdout);
  }
  return 0;
}
