/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of two ranks that knows its own efficiencies: by its own clocks it takes how long it computed, waited and ran in each
 * of its phases, each of which is a region, and each rank leaves that in FOLDER/rank-<n>.json; "outer" is from before the region
 * began until after it had ended. Each rank takes a core of its own before MPI looks at it.
 *   shares FOLDER PHASE...
 *     imbalance:MS0:MS1    rank r computes for MSr, in steps that end in barriers
 *     transfer:MS:KIB      both compute for MS, and exchange messages of KIB in each step
 *     turns:MS:PERCENT     both compute for MS; PERCENT of each step only when the other has done its own
 *     helped:MS:0          a second thread of rank 0 waits in MPI_Recv, while a third one computes for MS
 *     lent:MS0:MS1         as imbalance; but what rank 0 has left when rank 1 is done it does on both cores */
#define _GNU_SOURCE 1
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <comity/comity.h>

enum { kSteps = 10 };

typedef long long ns;

static ns read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (ns)now.tv_sec * 1000000000 + now.tv_nsec;
}
static ns wall_ns(void) { return read_clock(CLOCK_MONOTONIC); }
static ns cpu_ns(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

/* So far. */
static ns mpi_ns = 0;       /* main thread's, in calls */
static ns other_cpu_ns = 0; /* of threads that compute beside it */
static ns work_ns = 0;      /* processor time of what was to be computed, on whatever thread */

static int places[2]; /* the cores of ranks 0 and 1 */

/* By processor time, so that a busy machine makes it longer but not less work. */
static void compute(ns duration) {
  const ns begin = cpu_ns();
  volatile double value = 1;
  int i;
  while (cpu_ns() - begin < duration) {
    for (i = 0; i < 500; ++i) value = value * 1.0000001 + 1e-9;
  }
  __atomic_fetch_add(&work_ns, cpu_ns() - begin, __ATOMIC_RELAXED);
}

#define WAIT_IN(call)                \
  do {                               \
    const ns begin_ns_ = wall_ns();  \
    call;                            \
    mpi_ns += wall_ns() - begin_ns_; \
  } while (0)

static void sit_on(int place) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(place, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static int rank_by_launcher(void) {
  const char* const open_mpi = getenv("OMPI_COMM_WORLD_RANK");
  const char* const mpich = getenv("PMI_RANK");
  return open_mpi != NULL ? atoi(open_mpi) : mpich != NULL ? atoi(mpich) : 0;
}

static int take_a_core(int rank) {
  cpu_set_t allowed;
  int i, found = 0;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
  for (i = 0; i < CPU_SETSIZE && found < 2; ++i) {
    if (CPU_ISSET(i, &allowed)) places[found++] = i;
  }
  if (found < 2) return 0;
  sit_on(places[rank]);
  return 1;
}

static void imbalance(ns mine) {
  int i;
  for (i = 0; i < kSteps; ++i) {
    compute(mine / kSteps);
    WAIT_IN(MPI_Barrier(MPI_COMM_WORLD));
  }
}

static void transfer(int rank, ns each, int bytes) {
  char* const out = calloc(1, (size_t)bytes);
  char* const in = calloc(1, (size_t)bytes);
  int i, message;
  for (i = 0; i < kSteps; ++i) {
    compute(each / kSteps);
    for (message = 0; message < 4; ++message) {
      WAIT_IN(MPI_Sendrecv(out, bytes, MPI_BYTE, 1 - rank, 1, in, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE));
    }
  }
  free(out);
  free(in);
}

static void take_turns(int rank, ns each, int percent) {
  const ns by_turns = each / kSteps * percent / 100;
  int token = 0, i;
  for (i = 0; i < kSteps; ++i) {
    compute(each / kSteps - by_turns);
    if (rank == 1) WAIT_IN(MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    compute(by_turns);
    WAIT_IN(MPI_Send(&token, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD));
    if (rank == 0) WAIT_IN(MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
}

static void* on_the_other_core(void* duration) {
  sit_on(places[1]);
  compute(*(ns*)duration);
  other_cpu_ns += cpu_ns();
  return NULL;
}

/* Rank 1 has less to do. What is left of rank 0's work then is done on both cores, while rank 1 sleeps. */
static void lend(int rank, ns more, ns less) {
  ns half = (more - less) / 2;
  compute(less);
  if (rank == 1) {
    const struct timespec rest = {(time_t)(half / 1000000000), (long)(half % 1000000000)};
    nanosleep(&rest, NULL);
  } else {
    pthread_t other;
    pthread_create(&other, NULL, &on_the_other_core, &half);
    compute(half);
    pthread_join(other, NULL);
  }
  WAIT_IN(MPI_Barrier(MPI_COMM_WORLD));
}

static void* wait_in_mpi(void* nothing) {
  MPI_Recv(NULL, 0, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return nothing;
}

static void* compute_beside(void* duration) {
  compute(*(ns*)duration);
  other_cpu_ns += cpu_ns();
  return NULL;
}

/* Rank 1 ends the wait when rank 0 has computed all. */
static void be_helped(int rank, ns duration) {
  pthread_t waits, computes;
  if (rank == 1) {
    WAIT_IN(MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    WAIT_IN(MPI_Send(NULL, 0, MPI_INT, 0, 8, MPI_COMM_WORLD));
    return;
  }
  pthread_create(&waits, NULL, &wait_in_mpi, NULL);
  pthread_create(&computes, NULL, &compute_beside, &duration);
  pthread_join(computes, NULL);
  WAIT_IN(MPI_Send(NULL, 0, MPI_INT, 1, 7, MPI_COMM_WORLD));
  pthread_join(waits, NULL);
}

static void run_phase(const char* phase, int rank) {
  char kind[32] = "";
  int first = 0, second = 0;
  if (sscanf(phase, "%31[a-z]:%d:%d", kind, &first, &second) != 3) exit(2);
  if (strcmp(kind, "imbalance") == 0) imbalance((rank == 0 ? first : second) * (ns)1000000);
  if (strcmp(kind, "transfer") == 0) transfer(rank, first * (ns)1000000, second * 1024);
  if (strcmp(kind, "turns") == 0) take_turns(rank, first * (ns)1000000, second);
  if (strcmp(kind, "helped") == 0) be_helped(rank, first * (ns)1000000);
  if (strcmp(kind, "lent") == 0) lend(rank, first * (ns)1000000, second * (ns)1000000);
}

struct sums {
  ns wall, mpi, cpu, other_cpu, work;
};
static struct sums now(void) {
  struct sums sums;
  sums.wall = wall_ns();
  sums.mpi = mpi_ns;
  sums.cpu = cpu_ns();
  sums.other_cpu = other_cpu_ns;
  sums.work = work_ns;
  return sums;
}
/* With a brace open. */
static void tell(FILE* file, const char* name, struct sums from, struct sums to) {
  fprintf(file, "\"%s\": {\"wall\": %lld, \"mpi\": %lld, \"cpu\": %lld, \"other_cpu\": %lld, \"work\": %lld", name,
          to.wall - from.wall, to.mpi - from.mpi, to.cpu - from.cpu, to.other_cpu - from.other_cpu,
          to.work - from.work);
}

int main(int argc, char** argv) {
  enum { kMostPhases = 8 };
  int rank = rank_by_launcher(), provided = MPI_THREAD_SINGLE, i;
  const int phases = argc - 2;
  struct sums job[2], phase[kMostPhases][2], outer[kMostPhases][2];
  char path[4096];
  FILE* file;
  if (phases < 1 || phases > kMostPhases || !take_a_core(rank)) return 2;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 77;
  job[0] = now();
  WAIT_IN(MPI_Barrier(MPI_COMM_WORLD)); /* after the first call a record is brought up to date: not in a phase */
  for (i = 0; i < phases; ++i) {
    outer[i][0] = now();
    comity_region_begin(argv[2 + i]);
    phase[i][0] = now();
    run_phase(argv[2 + i], rank);
    phase[i][1] = now();
    comity_region_end();
    outer[i][1] = now();
  }
  job[1] = now();
  MPI_Finalize();
  snprintf(path, sizeof path, "%s/rank-%d.json", argv[1], rank);
  file = fopen(path, "w");
  if (file == NULL) return 1;
  fprintf(file, "{");
  for (i = 0; i < phases; ++i) {
    tell(file, argv[2 + i], phase[i][0], phase[i][1]);
    fprintf(file, ", ");
    tell(file, "outer", outer[i][0], outer[i][1]);
    fprintf(file, "}},\n");
  }
  tell(file, "job", job[0], job[1]);
  fprintf(file, "}}\n");
  fclose(file);
  return 0;
}
