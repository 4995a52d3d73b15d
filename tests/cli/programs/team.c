/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with an OpenMP runtime, for a launch line that names one. Nobody runs it. */
#include <omp.h>

int main(void) { return omp_get_max_threads() > 0 ? 0 : 1; }
