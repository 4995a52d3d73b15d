/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks with a team each, which share the cores that the second one leaves while it waits: rank 0 tells on how many all of its team
 * may run, again and again.
 *   coop_shares CORES         CORES: of the node
 *   coop_shares CORES killed  rank 0 kills the other one while that waits, and goes on alone */
#define _GNU_SOURCE
#include <comity/comity.h>
#include <dirent.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "idle_threads.h"

enum { kLimit_ms = 10000 };

/* Of all members of the team; -1: they differ. */
static int cores_of_the_team(void) {
  int most = 0;
  int least = CPU_SETSIZE;
#pragma omp parallel reduction(max : most) reduction(min : least)
  {
    cpu_set_t mask;
    const int count = sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : -1;
    most = count;
    least = count;
  }
  return most == least ? most : -1;
}

/* A thread that has told where it wants to be: on all cores, which is no share. */
static pthread_t elsewhere;
static void* rest(void* none) {
  (void)pause();
  return none;
}
static int cores_elsewhere(void) {
  cpu_set_t mask;
  return pthread_getaffinity_np(elsewhere, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : -1;
}
static void start_elsewhere(int all) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&mask) < all; ++cpu)
    CPU_SET(cpu, &mask); /* the kernel drops what there is not */
  (void)pthread_create(&elsewhere, NULL, &rest, NULL);
  if (pthread_setaffinity_np(elsewhere, sizeof(mask), &mask) != 0)
    printf("FAIL: a thread cannot be let run anywhere\n");
}

/* Of the thread of that name: whether it leaves all signals that can be left to the others. */
static void tell_signals(const char* name) {
  DIR* const tasks = opendir("/proc/self/task");
  for (struct dirent* task = NULL; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    char path[300];
    char line[200];
    int is_it = 0;
    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/status", task->d_name);
    FILE* const status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
      if (strncmp(line, "Name:", 5) == 0) is_it = strstr(line, name) != NULL;
      unsigned long long blocked = 0;
      if (is_it && sscanf(line, "SigBlk: %llx", &blocked) == 1) {
        const unsigned long long left = ~blocked & ~(1ULL << (SIGKILL - 1)) & ~(1ULL << (SIGSTOP - 1));
        printf("signals of %s: %s\n", name, (left & 0x7fffffffULL) == 0 ? "blocked" : line);
      }
    }
    if (status != NULL) (void)fclose(status);
  }
  if (tasks != NULL) (void)closedir(tasks);
}

static void tell(const char* when) {
  printf("%s: %d cores, looks %s, elsewhere %d\n", when, cores_of_the_team(), spins() > 0 ? "on" : "off",
         cores_elsewhere());
}

/* Computes until its team has so many, or for long. */
static void compute_until(int cores) {
  for (int i = 0; i < kLimit_ms && cores_of_the_team() != cores; ++i) (void)usleep(1000);
}

static void tell_with_a_context(void) {
  comity_context* context = NULL;
  if (comity_context_create_local(&context) != COMITY_OK) printf("FAIL: %s\n", comity_last_error());
  tell("with a context");
  (void)comity_context_free(&context);
  tell("without it");
}

static void lead(int own, int all, pid_t other, int kills) {
  compute_until(own); /* the other one may have waited for this rank until now */
  start_elsewhere(all);
  tell("at first");
  MPI_Send(NULL, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
  compute_until(all);
  tell_signals("comity-coop"); /* it has its name by now */
  tell("while the other one waits");
  if (kills) {
    (void)kill(other, SIGKILL);
    for (int i = 0; i < 100; ++i) (void)cores_of_the_team();
    tell("without the other one");
    (void)fflush(stdout);
    _exit(0); /* MPI_Finalize would wait for the dead */
  }
  tell_with_a_context();
  MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  compute_until(own);
  tell("when it is back");
  MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
}

/* In a loop of its own, as a program that computes. */
static void go_on_until_told(int tag) {
  MPI_Request last = MPI_REQUEST_NULL;
  MPI_Irecv(NULL, 0, MPI_INT, 0, tag, MPI_COMM_WORLD, &last);
  for (int is_here = 0; !is_here; MPI_Test(&last, &is_here, MPI_STATUS_IGNORE)) (void)usleep(1000);
}

/* Waits in MPI between these. */
static void follow(void) {
  go_on_until_told(3);
  MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  go_on_until_told(1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int all = atoi(argv[1]);
  const int mine = (int)getpid();
  int other = 0;
  MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 2, &other, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) lead(all / 2, all, other, argc > 2 && strcmp(argv[2], "killed") == 0);
  if (rank == 1) follow();
  MPI_Finalize();
  return 0;
}
