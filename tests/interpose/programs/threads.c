/* SPDX-License-Identifier: BSD-3-Clause */
/* A level of threads, from none to many at once: each of them makes 1,000 exchanges with itself where it may, all at once or one
   after the other. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kTurns = 1000 };

static void* exchange(void* place) {
  MPI_Comm* const communicator = place;
  int given = 1, got = 0;
  for (int i = 0; i < kTurns; ++i) {
    MPI_Sendrecv(&given, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, *communicator, MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const int wanted = atoi(argv[1]);
  int level = -1;
  pthread_t threads[kThreads];
  MPI_Comm own[kThreads];
  MPI_Init_thread(&argc, &argv, wanted, &level);
  if (level < wanted) {
    fprintf(stderr, "this MPI does not provide the level of threads %d\n", wanted);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
  if (wanted == MPI_THREAD_MULTIPLE) {
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, exchange, &own[i]);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  } else if (wanted == MPI_THREAD_SERIALIZED) {
    for (int i = 0; i < kThreads; ++i) {
      pthread_create(&threads[i], NULL, exchange, &own[i]);
      pthread_join(threads[i], NULL);
    }
  } else {
    for (int i = 0; i < kThreads; ++i) exchange(&own[i]);
  }
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&own[i]);
  MPI_Finalize();
  return 0;
}
