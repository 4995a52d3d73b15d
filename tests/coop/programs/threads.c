// SPDX-License-Identifier: BSD-3-Clause
// threads LEVEL: communication of four threads a rank at the level of threads that is asked for: at MPI_THREAD_MULTIPLE all of
// them wait at once, each in another kind of call; below it they take turns. Says so where the MPI provides less. together: one of
// the threads that wait at once looks for all.
#define _GNU_SOURCE  // usleep, RUSAGE_THREAD
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cases.h"

enum { kThreads = 4, kKinds = 7, kLong = 1 << 16 };

static int level, times;
static MPI_Comm own[kThreads];  // each thread's, for its collectives
static int out[kThreads][kLong], in[kThreads][2 * kLong];

static int word_of(int rank, int thread, int time, int i) { return ((rank * kThreads + thread) * 97 + time) * 31 + i; }

static void expect_words(const int* words, int rank, int thread, int time, int count) {
  for (int i = 0; i < count; ++i) expect(words[i] == word_of(rank, thread, time, i), "another thread's words came");
}

// Some rank is late each time, so that others sleep; which one differs from thread to thread.
static void be_late(int thread, int time) {
  if ((thread + time) % size == me) usleep((unsigned)(200 * (1 + (thread * 7 + time) % 9)));
}

static void receive(int thread, int time, int count, int probed) {
  const int tag = thread;
  MPI_Request sent;
  MPI_Isend(out[thread], count, MPI_INT, after(1), tag, MPI_COMM_WORLD, &sent);
  if (probed) {
    MPI_Status status;
    int found = 0;
    MPI_Probe(before(1), tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &found);
    expect(found == count, "a probe tells of another message");
  }
  MPI_Recv(in[thread], count, MPI_INT, before(1), tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  expect_words(in[thread], before(1), thread, time, count);
}

static void wait_for(int thread, int time, int count, int all) {
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_Irecv(in[thread], count, MPI_INT, before(1), thread, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[thread] + kLong, count, MPI_INT, before(1), kThreads + thread, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(out[thread], count, MPI_INT, after(1), thread, MPI_COMM_WORLD);
  MPI_Isend(out[thread], count, MPI_INT, after(1), kThreads + thread, MPI_COMM_WORLD, &requests[2]);
  if (all) {
    MPI_Waitall(3, requests, statuses);
  } else {
    for (int i = 2; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  expect_words(in[thread], before(1), thread, time, count);
  expect_words(in[thread] + kLong, before(1), thread, time, count);
}

static void exchange(int thread, int time, int count) {
  MPI_Sendrecv(out[thread], count, MPI_INT, after(1), thread, in[thread], count, MPI_INT, before(1), thread,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect_words(in[thread], before(1), thread, time, count);
}

static void collectives(int thread, int time) {
  int sum = 0;
  const int mine = me + time, root = time % size;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, own[thread]);
  expect(sum == size * (size - 1) / 2 + size * time, "a sum is wrong");
  MPI_Barrier(own[thread]);
  memcpy(in[thread], out[thread], sizeof(int) * 1000);
  MPI_Bcast(in[thread], 1000, MPI_INT, root, own[thread]);
  expect_words(in[thread], root, thread, time, 1000);
}

static void new_communicator(int thread) {
  MPI_Comm twin;
  int sum = 0;
  const int mine = thread + 1;
  MPI_Comm_dup(own[thread], &twin);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, twin);
  expect(sum == size * (thread + 1), "another thread's sum came");
  MPI_Comm_free(&twin);
}

static void step(int thread, int time) {
  const int count = time % 3 == 0 ? kLong : 10;
  for (int i = 0; i < count || i < 1000; ++i) out[thread][i] = word_of(me, thread, time, i);
  be_late(thread, time);
  switch ((thread + time) % kKinds) {
    case 0:
      return receive(thread, time, count, 0);
    case 1:
      return receive(thread, time, count, 1);
    case 2:
      return wait_for(thread, time, count, 0);
    case 3:
      return wait_for(thread, time, count, 1);
    case 4:
      return exchange(thread, time, count);
    case 5:
      return collectives(thread, time);
    default:
      return new_communicator(thread);
  }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

static void take_a_turn(int thread, int time) {
  pthread_mutex_lock(&mutex);
  while (turn != time * kThreads + thread) pthread_cond_wait(&turned, &mutex);
  step(thread, time);
  ++turn;
  pthread_cond_broadcast(&turned);
  pthread_mutex_unlock(&mutex);
}

static void* work(void* which) {
  const int thread = (int)((int(*)[kLong])which - out);
  for (int time = 0; time < times; ++time) {
    if (level == MPI_THREAD_MULTIPLE) {
      step(thread, time);
    } else {
      take_a_turn(thread, time);
    }
  }
  return NULL;
}

static void run_threads(void) {
  pthread_t threads[kThreads];
  for (int i = 1; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, out[i]);
  work(out[0]);
  for (int i = 1; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

static void run_alone(void) {
  for (int time = 0; time < times; ++time) {
    for (int thread = 0; thread < kThreads; ++thread) step(thread, time);
  }
}

// Beside a thread that has nothing to do with MPI.
static volatile int over;
static void* compute(void* unused) {
  while (!over) usleep(1000);
  return unused;
}
static void run_beside_another(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, compute, NULL);
  run_alone();
  over = 1;
  pthread_join(thread, NULL);
}

static long naps(void) {
  struct rusage use;
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nvcsw;
}

static long napped[kThreads];  // in the wait

static void* wait_for_rank_0(void* which) {
  const int thread = (int)((int(*)[kLong])which - out);
  const long before = naps();
  if (thread % 2 == 0) {
    MPI_Recv(in[thread], 1, MPI_INT, 0, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Request request;
    MPI_Irecv(in[thread], 1, MPI_INT, 0, thread, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
  napped[thread] = naps() - before;
  expect(in[thread][0] == word_of(0, thread, 0, 0), "another thread's word came");
  return NULL;
}

// One of them looks, every 10 ms or sooner; the others sleep meanwhile, and are woken once or look whether anybody looks, twice. Where
// others are at work who looks may get its processor late: a nap counts as three.
static void wait_together(void) {
  enum { kAsleep_us = 500000, kNap_us = 10000, kLate = 3, kNaps = kAsleep_us / kNap_us / kLate };
  pthread_t threads[kThreads];
  if (me == 0) usleep(kAsleep_us);
  for (int rank = 1; me == 0 && rank < size; ++rank) {
    for (int i = kThreads - 1; i >= 0; --i) {
      const int mine = word_of(0, i, 0, 0);
      MPI_Send(&mine, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
    }
  }
  if (me == 0) return;
  for (int i = 1; i < kThreads; ++i) pthread_create(&threads[i], NULL, wait_for_rank_0, out[i]);
  wait_for_rank_0(out[0]);
  for (int i = 1; i < kThreads; ++i) pthread_join(threads[i], NULL);
  int looked = 0;
  for (int i = 0; i < kThreads; ++i) looked += napped[i] >= kNaps;
  expect(looked > 0, "none of the threads looks now and then");
  expect(looked < 2, "more of the threads than one look by themselves");
}

static const struct Case kLevels[] = {{"single", run_alone},
                                      {"funneled", run_beside_another},
                                      {"serialized", run_threads},
                                      {"multiple", run_threads},
                                      {"together", wait_together}};
static const int kAsked[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE,
                             MPI_THREAD_MULTIPLE};
enum { kLevelCount = sizeof kAsked / sizeof kAsked[0] };

int main(int argc, char** argv) {
  int provided = 0;
  for (int i = 0; i < kLevelCount; ++i) {
    if (argc == 2 && strcmp(argv[1], kLevels[i].name) == 0) level = kAsked[i];
  }
  MPI_Init_thread(&argc, &argv, level, &provided);
  if (provided < level) {
    printf("less provided\n");
    MPI_Finalize();
    return 0;
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  times = size > 4 ? kKinds : 3 * kKinds;  // MPICH spins in collectives of many ranks
  run_cases(kLevels, kLevelCount, argc - 1, argv + 1);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&own[i]);
  MPI_Finalize();
  return 0;
}
