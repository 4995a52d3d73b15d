/* SPDX-License-Identifier: BSD-3-Clause */
/* A hybrid program: a team in each rank, and a wait. Each rank tells what team it got, on how many cores, and how its idle
 * threads were told to wait. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static int cores(void) {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : -1;
}

/* Of LLVM's runtime; -1: this is another one. */
static int block_time(void) {
  int (*told)(void) = NULL;
  *(void**)&told = dlsym(RTLD_DEFAULT, "kmp_get_blocktime");
  return told == NULL ? -1 : told();
}

static const char* variable(const char* name) {
  const char* const value = getenv(name);
  return value == NULL ? "unset" : value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int threads = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank=%d threads=%d cores=%d block_time=%d policy=%s gnu=%s llvm=%s\n", rank, threads, cores(), block_time(),
         variable("OMP_WAIT_POLICY"), variable("GOMP_SPINCOUNT"), variable("KMP_BLOCKTIME"));
  MPI_Finalize();
  return 0;
}
