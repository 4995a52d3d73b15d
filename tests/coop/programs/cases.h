// SPDX-License-Identifier: BSD-3-Clause
// Cases: a program of communication that must end, case by case. Each rank checks what it gets; rank 0 tells each case before
// it begins, so that one which hangs is known, and "done" at the end.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int me, size;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", me, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline int after(int step) { return (me + step) % size; }
static inline int before(int step) { return (me + size - step % size) % size; }

struct Case {
  const char* name;
  void (*run)(void);
};

static inline void run_case(const struct Case* cases, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(name, cases[i].name) != 0) continue;
    if (me == 0) printf("%s\n", name);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    cases[i].run();
    return;
  }
  expect(0, "there is no such case");
}

// Between MPI_Init and MPI_Finalize.
static inline void run_cases(const struct Case* cases, size_t count, int names, char** name) {
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < names; ++i) run_case(cases, count, name[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("done\n");
}
