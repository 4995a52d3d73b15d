/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread beside the main one calls MPI. The first word is the level that is asked for, of the second: "turns", the main thread waits for it outside MPI;
   "at once", both are inside MPI; "wide", it calls nothing, and has a processor of its own. Says
   which thread that was. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <comity/region.h>

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

static atomic_int main_is_inside;
static atomic_long inside; /* the thread that has nothing left to do but its call of MPI */
static atomic_int has_come_out;

static int is_asleep(long thread) {
  char path[64], state = '?';
  snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
  FILE* const file = fopen(path, "r");
  if (file == NULL) return 0; /* it has ended */
  if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
  fclose(file);
  return state == 'S';
}

static void* be_inside(void* nothing) {
  say_who();
  int one = 1, two = 2;
  while (!atomic_load(&main_is_inside)) usleep(100); /* else this call might be over before that one begins */
  atomic_store(&inside, (long)syscall(SYS_gettid));
  MPI_Reduce_local(&one, &two, 1, MPI_INT, MPI_SUM);
  atomic_store(&has_come_out, 1);
  return nothing;
}

/* An operation of the program, which the main thread is in, and so inside MPI, until the other one has been inside too, or sleeps
   there for a lock that the main one holds. No message: MPICH 4.0 may hang where two threads of a rank hand each other a large one. */
static void wait_for_the_other(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
  atomic_store(&main_is_inside, 1);
  while (atomic_load(&inside) == 0) usleep(100);
  /* In a row: on its way in it may sleep for a moment for another lock. */
  for (int asleep = 0; !atomic_load(&has_come_out) && asleep < 20; usleep(1000)) {
    asleep = is_asleep(atomic_load(&inside)) ? asleep + 1 : 0;
  }
  usleep(1000); /* less is not told from clocks that differ */
}

/* The next call comes when the other thread has ended: of a thread the last call alone is looked at. */
static void be_inside_at_once(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, be_inside, NULL);
  int one = 1, two = 2;
  MPI_Op operation;
  MPI_Op_create(wait_for_the_other, 1, &operation);
  MPI_Reduce_local(&one, &two, 1, MPI_INT, operation);
  pthread_join(thread, NULL);
  MPI_Op_free(&operation);
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
    be_inside_at_once();
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
