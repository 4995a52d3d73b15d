/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions of OpenMP whose number is known: 3 of two threads, then in region "wide" 5 of three, in each of which every
 * thread opens one more of its own. What the main thread spent in them by its own clock goes to FOLDER/rank-<n>.json twice: read
 * within the regions, which is at most the truth, and around them, which is at least the truth. So a machine that takes the
 * processor away between two readings makes the answer wider and not wrong.
 *   teams FOLDER */
#define _GNU_SOURCE 1
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

#include <comity/comity.h>

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void work_for_ns(long long duration) {
  const long long begin = now_ns();
  while (now_ns() - begin < duration) continue;
}

struct time {
  long long least, most;
};

static struct time teams(int count, int threads, int nested) {
  struct time spent = {0, 0};
  const long long before = now_ns();
  while (count-- > 0) {
#pragma omp parallel num_threads(threads)
    {
      const long long begin = now_ns();
      work_for_ns(3000000);
      if (nested) {
#pragma omp parallel num_threads(1)
        work_for_ns(1000);
      }
#pragma omp barrier
      if (omp_get_thread_num() == 0) spent.least += now_ns() - begin;
    }
  }
  spent.most = now_ns() - before;
  return spent;
}

static void tell(FILE* file, const char* name, struct time spent) {
  fprintf(file, "\"%s\": {\"least\": %lld, \"most\": %lld}", name, spent.least, spent.most);
}

int main(int argc, char** argv) {
  char path[4096];
  int rank, provided;
  struct time narrow, wide;
  FILE* file;
  if (argc != 2) return 2;
  omp_set_dynamic(0);
  teams(1, 2, 0); /* before MPI_Init nothing counts */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  work_for_ns(10000000);
  narrow = teams(3, 2, 0);
  comity_region_begin("wide");
  wide = teams(5, 3, 1);
  comity_region_end();
  MPI_Finalize();
  teams(1, 2, 0); /* nor after MPI_Finalize */
  snprintf(path, sizeof path, "%s/rank-%d.json", argv[1], rank);
  file = fopen(path, "w");
  if (file == NULL) return 1;
  fprintf(file, "{");
  tell(file, "narrow", narrow);
  fprintf(file, ", ");
  tell(file, "wide", wide);
  fprintf(file, "}\n");
  fclose(file);
  return 0;
}
