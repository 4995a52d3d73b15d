/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs whose memory lies in libraries that rules know by name. The program asks GNU's OpenMP runtime for a block (omp_alloc), a library that is
   named as HDF5's for another, and lets OpenBLAS multiply where it is here; it writes into all of it itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef COMITY_TEST_OPENBLAS
#include <cblas.h>
#endif

#define MEGA ((size_t)1 << 20)

static void* checked(void* block, const char* what) {
  if (block == NULL) {
    fprintf(stderr, "%s: %s\n", what, dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return block;
}

/* Written by whole teams, as first touch is where it matters. */
static void write_by_team(char* block, size_t bytes) {
#pragma omp parallel for num_threads(2)
  for (size_t at = 0; at < bytes; at += 4096) block[at] = 1;
}

#ifdef COMITY_TEST_OPENBLAS
enum { kSide = 512 };
static void multiply(void) {
  double* const all = checked(malloc(3 * kSide * kSide * sizeof(double)), "malloc");
  for (size_t i = 0; i < (size_t)3 * kSide * kSide; ++i) all[i] = 1;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1, all, kSide, all + kSide * kSide, kSide,
              0, all + 2 * kSide * kSide, kSide);
  free(all);
  printf("multiplied\n");
}
#else
static void multiply(void) {}
#endif

int main(int count, char** words) {
  MPI_Init(&count, &words);
  void* const library = checked(dlopen(COMITY_TEST_LIBRARY, RTLD_NOW), "dlopen");
  void* (*const ask)(size_t) = (void* (*)(size_t))checked(dlsym(library, "owner_malloc"), "dlsym");
  char* const of_openmp = checked(omp_alloc(40 * MEGA, omp_default_mem_alloc), "omp_alloc");
  char* const of_hdf5 = checked(ask(24 * MEGA), "owner_malloc");
  write_by_team(of_openmp, 40 * MEGA);
  write_by_team(of_hdf5, 24 * MEGA);
  multiply();
  MPI_Barrier(MPI_COMM_WORLD);
  omp_free(of_openmp, omp_default_mem_alloc);
  MPI_Finalize();
  free(of_hdf5);
  return 0;
}
