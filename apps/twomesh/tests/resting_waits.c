/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's waits, as ranks that share cores need them: the core is offered, then given away. A wait of MPICH spins until the
 * kernel takes its core, some 3 ms for each rank that it waits for, and a check with a thousand exchanges takes longer than
 * a test may. Preloaded, this stands between the program and MPI (the profiling interface). Only the calls that twomesh
 * makes in each step are here; what is computed does not depend on how one waits. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <sched.h>
#include <time.h>

enum { kOffers = 20 };
static const struct timespec kSleep = {0, 20 * 1000L};

static void rest(int tries) {
  if (tries < kOffers) {
    sched_yield();
  } else {
    nanosleep(&kSleep, NULL);
  }
}

static int finish(int count, MPI_Request requests[], MPI_Status statuses[]) {
  for (int tries = 0;; ++tries) {
    int done = 0;
    const int code = PMPI_Testall(count, requests, &done, statuses);
    if (done || code != MPI_SUCCESS) return code;
    rest(tries);
  }
}

static int finish_one(int code, MPI_Request* request) {
  MPI_Status status;
  return code == MPI_SUCCESS ? finish(1, request, &status) : code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) { return finish(count, requests, statuses); }

int MPI_Allreduce(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm communicator) {
  MPI_Request request;
  return finish_one(PMPI_Iallreduce(mine, result, count, type, operation, communicator, &request), &request);
}

int MPI_Allgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int counts[],
                   const int displacements[], MPI_Datatype all_type, MPI_Comm communicator) {
  MPI_Request request;
  return finish_one(PMPI_Iallgatherv(mine, count, type, all, counts, displacements, all_type, communicator, &request),
                    &request);
}
