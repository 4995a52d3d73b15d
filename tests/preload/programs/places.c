/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions of OpenMP, of two threads, that begin at places of functions of their own, each another number of times:
 *   uneven   40 times; one thread works twice as long as the other one
 *   halves   30 times; in the first half one thread works and the other one waits at a barrier, in the second half the other way round
 *   tasks    20 times; one thread makes six tasks, and both do them, one of them in a barrier
 *   alone    10 times; a team of one thread
 *   nested    5 times; each thread opens a region of two threads that work
 * What the threads worked by their own clocks, and how long the regions took around, goes to FILE. Times are the clock's: a thread whose
 * processor is taken away while it works is at work for as long as it lasts, to itself and to who watches.
 *   places FILE */
#define _GNU_SOURCE 1
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 2, STRETCH_ns = 2000000 };

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long long worked_ns[THREADS]; /* in the region that is on */

static void work_for_ns(long long duration) {
  const long long begin = now_ns();
  long long now = begin;
  while (now - begin < duration) now = now_ns();
#pragma omp atomic
  worked_ns[omp_get_ancestor_thread_num(1)] += now - begin;
}

void uneven(void) {
#pragma omp parallel num_threads(THREADS)
  work_for_ns(omp_get_thread_num() == 0 ? 2 * STRETCH_ns : STRETCH_ns);
}

void halves(void) {
#pragma omp parallel num_threads(THREADS)
  {
    if (omp_get_thread_num() == 0) work_for_ns(STRETCH_ns);
#pragma omp barrier
    if (omp_get_thread_num() == 1) work_for_ns(STRETCH_ns);
  }
}

void tasks(void) {
#pragma omp parallel num_threads(THREADS)
#pragma omp single
  for (int i = 0; i < 6; ++i) {
#pragma omp task
    work_for_ns(STRETCH_ns);
  }
}

void alone(void) {
#pragma omp parallel num_threads(1)
  work_for_ns(STRETCH_ns);
}

void nested(void) {
#pragma omp parallel num_threads(THREADS)
  {
    const long long begin = now_ns();
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
      const long long inner = now_ns();
      while (now_ns() - inner < STRETCH_ns) continue;
    }
#pragma omp atomic
    worked_ns[omp_get_thread_num()] += now_ns() - begin; /* waiting for its own team is work to the region around */
  }
}

static void tell(FILE* file, const char* name, void (*region)(void), int count, int threads) {
  long long took = 0, worked = 0, busiest = 0;
  int i, t;
  for (i = 0; i < count; ++i) {
    long long most = 0;
    long long begin;
    for (t = 0; t < THREADS; ++t) worked_ns[t] = 0;
    begin = now_ns();
    region();
    took += now_ns() - begin;
    for (t = 0; t < THREADS; ++t) {
      worked += worked_ns[t];
      if (worked_ns[t] > most) most = worked_ns[t];
    }
    busiest += most;
  }
  fprintf(file, "%s\"%s\": {\"count\": %d, \"parallel\": %.6f, \"load_balance\": %.6f, \"fork_join\": %.6f}",
          region == uneven ? "{" : ", ", name, count, (double)worked / (double)(threads * took),
          (double)worked / (double)(threads * busiest), (double)busiest / (double)took);
}

int main(int argc, char** argv) {
  int provided;
  FILE* file;
  if (argc != 2) return 2;
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  file = fopen(argv[1], "w");
  if (file == NULL) return 1;
  tell(file, "uneven", &uneven, 40, THREADS);
  tell(file, "halves", &halves, 30, THREADS);
  tell(file, "tasks", &tasks, 20, THREADS);
  tell(file, "alone", &alone, 10, 1);
  tell(file, "nested", &nested, 5, THREADS);
  fprintf(file, "}\n");
  fclose(file);
  MPI_Finalize();
  return 0;
}
