/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a parallel region and no MPI. */
#include <stdio.h>

int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  printf("%d threads\n", threads);
  return 0;
}
