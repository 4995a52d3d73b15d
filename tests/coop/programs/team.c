/* SPDX-License-Identifier: BSD-3-Clause */
/* A hybrid program: a team in each rank, and a wait. Each rank tells what team it got, on how many cores, and how its idle
 * threads were told to wait. It has the functions of an OpenBLAS with a pool of its own, and tells whether that was told to do without. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Of LLVM's runtime; -1: this is another one. */
static int block_time(void) {
  int (*told)(void) = NULL;
  *(void**)&told = dlsym(RTLD_DEFAULT, "kmp_get_blocktime");
  return told == NULL ? -1 : told();
}

/* How often GNU's idle threads look before they sleep, as its runtime tells on standard error; -1: it does not, or this is another one. */
static long long spins(void) {
  void (*tell)(int) = NULL;
  *(void**)&tell = dlsym(RTLD_DEFAULT, "omp_display_env");
  if (tell == NULL || block_time() >= 0) return -1;
  FILE* const told = tmpfile();
  const int error = dup(STDERR_FILENO);
  if (told == NULL || error < 0 || dup2(fileno(told), STDERR_FILENO) < 0) return -1;
  tell(1);
  (void)dup2(error, STDERR_FILENO);
  (void)close(error);
  rewind(told);
  long long count = -1;
  for (char line[256]; fgets(line, sizeof(line), told) != NULL;) {
    const char* const found = strstr(line, "GOMP_SPINCOUNT = '");
    if (found != NULL) count = atoll(strchr(found, '\'') + 1);
  }
  (void)fclose(told);
  return count;
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
  printf("rank=%d threads=%d cores=%d block_time=%d spins=%lld policy=%s gnu=%s llvm=%s blas=%s\n", rank, threads,
         cores(), block_time(), spins(), variable("OMP_WAIT_POLICY"), variable("GOMP_SPINCOUNT"),
         variable("KMP_BLOCKTIME"), blas);
  MPI_Finalize();
  return 0;
}
