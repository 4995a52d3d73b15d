// SPDX-License-Identifier: BSD-3-Clause
// far: ranks wait for long, the first half of them on one host, the others on another one: the first of the other host for rank 0,
// and on each host all others for its first; far all: all of the other host for rank 0. Who waits for another host tells for how long it
// waited, in microseconds, and how often it slept meanwhile.
#define _GNU_SOURCE  // usleep, RUSAGE_THREAD
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { kLong_us = 60000, kFirst = 6, kRounds = 14 };  // the first ones do not count

static int me, size, all_wait;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}
static long sleeps(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

static void pass_on(int token) {
  const int half = size / 2, first = me < half ? 0 : half;
  for (int to = half; me == 0 && to < (all_wait ? size : half + 1); ++to) {
    MPI_Send(&token, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
  }
  const int tells_its_host = me == first && !(all_wait && first == half);
  for (int to = first + 1; tells_its_host && to < first + half; ++to)
    MPI_Send(&token, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  all_wait = argc > 1;
  const int half = size / 2, from = me <= half || all_wait ? 0 : half;
  double waited_us = 0;
  long slept = 0;
  for (int round = 0; round < kRounds; ++round) {
    int token = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
      usleep(kLong_us);
      pass_on(token);
      continue;
    }
    const double began_us = now_us();
    const long before = sleeps();
    MPI_Recv(&token, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double end_us = now_us();
    pass_on(token);
    if (round < kFirst) continue;
    waited_us += end_us - began_us;
    slept += sleeps() - before;
  }
  if (me == half || (all_wait && me > half)) printf("far %.0f %ld\n", waited_us, slept);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
