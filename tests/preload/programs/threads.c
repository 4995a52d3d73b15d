/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread beside the main one calls MPI. The first word is the level that is asked for, of the second: "turns", the main thread waits for it outside MPI;
   "at once", both hand each other a message that takes long; "wide", it calls nothing, and has a processor of its own. Says
   which thread that was. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <comity/region.h>

enum { kLarge_bytes = 32 << 20 };

static MPI_Comm between;
static pthread_barrier_t together;

static void say_who(void) {
  pthread_setname_np(pthread_self(), "caller");
  printf("thread=%ld\n", (long)syscall(SYS_gettid));
  fflush(stdout);
}

static void* call(void* nothing) {
  say_who();
  for (int i = 0; i < 3; ++i) MPI_Barrier(between);
  return nothing;
}

/* Both are inside MPI for as long as the bytes take: the one cannot end before the other has come. */
static void* receive(void* into) {
  say_who();
  MPI_Recv(into, kLarge_bytes, MPI_CHAR, 0, 1, between, MPI_STATUS_IGNORE);
  return NULL;
}

static void on(int processor) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(processor, &mask);
  if (sched_setaffinity(0, sizeof mask, &mask) != 0) abort();
}

static void* rest_on(void* processor) {
  on(*(int*)processor);
  pthread_barrier_wait(&together);
  pthread_barrier_wait(&together);
  return NULL;
}

static int first_of(const cpu_set_t* mask, int from) {
  while (from < CPU_SETSIZE && !CPU_ISSET(from, mask)) ++from;
  return from;
}

static int level_of(const char* name) {
  if (strcmp(name, "MPI_THREAD_MULTIPLE") == 0) return MPI_THREAD_MULTIPLE;
  return strcmp(name, "MPI_THREAD_SERIALIZED") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int wanted = level_of(argv[1]);
  const char* const word = argv[2];
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  const int first = first_of(&mask, 0);
  int second = first_of(&mask, first + 1);
  if (strcmp(word, "wide") == 0) on(first);
  int level = -1;
  MPI_Init_thread(&argc, &argv, wanted, &level);
  if (level < wanted) {
    puts("level refused");
    MPI_Finalize();
    return 0;
  }
  MPI_Comm_dup(MPI_COMM_SELF, &between);
  pthread_t thread;
  if (strcmp(word, "at once") == 0) {
    char* const out = calloc(2, kLarge_bytes);
    pthread_create(&thread, NULL, receive, out + kLarge_bytes);
    MPI_Ssend(out, kLarge_bytes, MPI_CHAR, 0, 1, between);
    pthread_join(thread, NULL);
    free(out);
  } else if (strcmp(word, "wide") == 0) {
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&thread, NULL, rest_on, &second);
    pthread_barrier_wait(&together);
    comity_region_begin("wide");
    comity_region_end();
    pthread_barrier_wait(&together);
    pthread_join(thread, NULL);
  } else {
    pthread_create(&thread, NULL, call, NULL);
    pthread_join(thread, NULL);
  }
  MPI_Comm_free(&between);
  MPI_Finalize();
  return 0;
}
