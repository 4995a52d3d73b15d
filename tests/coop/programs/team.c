/* SPDX-License-Identifier: BSD-3-Clause */
/* A hybrid program: a team in each rank, and a wait. Each rank tells what team it got, on how many cores, and how its idle
 * threads were told to wait. It has the functions of an OpenBLAS with a pool of its own, and tells whether that was told to do without. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "idle_threads.h"

static int blas_threads = 1; /* fewer than a team: it shall not count */
static const char* blas = "as_it_was";

#pragma GCC visibility push(default)
int openblas_get_num_threads(void) { return blas_threads; }
int openblas_get_parallel(void) { return 1; }
void openblas_set_num_threads(int threads) {
  blas_threads = threads;
  blas = "told";
}
#pragma GCC visibility pop

static int cores(void) {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : -1;
}

static const char* variable(const char* name) {
  const char* const value = getenv(name);
  return value == NULL ? "unset" : value;
}

/* A meeting in which no rank waits in MPI: who did so for long would leave the others its cores. */
static void meet(void) {
  MPI_Request meeting = MPI_REQUEST_NULL;
  int all_are_here = 0;
  for (MPI_Ibarrier(MPI_COMM_WORLD, &meeting); !all_are_here; MPI_Test(&meeting, &all_are_here, MPI_STATUS_IGNORE))
    (void)usleep(1000);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int threads = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  const int had = cores();
  const int block_time_ms = block_time();
  const long long looks = spins();
  meet();
  printf("rank=%d threads=%d cores=%d block_time=%d spins=%lld policy=%s gnu=%s llvm=%s blas=%s\n", rank, threads, had,
         block_time_ms, looks, variable("OMP_WAIT_POLICY"), variable("GOMP_SPINCOUNT"), variable("KMP_BLOCKTIME"),
         blas);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
