/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks with a team each, which share the cores that the second one leaves while it waits: rank 0 tells on how many all of its team
 * may run, again and again.
 *   coop_shares CORES         CORES: of the node
 *   coop_shares CORES killed  rank 0 kills the other one while that waits, and goes on alone */
#define _GNU_SOURCE
#include <comity/comity.h>
#include <mpi.h>
#include <omp.h>
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

static void tell(const char* when) {
  printf("%s: %d cores, looks %s\n", when, cores_of_the_team(), spins() > 0 ? "on" : "off");
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
  tell("at first");
  compute_until(all);
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

/* Waits in MPI for the first message, and in a loop of its own, as a program that computes, for the second. */
static void follow(void) {
  MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request last = MPI_REQUEST_NULL;
  MPI_Irecv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, &last);
  for (int is_here = 0; !is_here; MPI_Test(&last, &is_here, MPI_STATUS_IGNORE)) (void)usleep(1000);
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
