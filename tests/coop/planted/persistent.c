// SPDX-License-Identifier: BSD-3-Clause
// Collectives that are made once and started again and again.
#include "planted.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

#if MPI_VERSION >= 4
#define WRAPPER(name) MPI_##name##_init
#define REAL(name) PMPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define WRAPPER(name) MPIX_##name##_init
#define REAL(name) PMPIX_##name##_init
#endif

#ifdef WRAPPER
int WRAPPER(Bcast)(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
  return REAL(Bcast)(buffer, planted("bcast_init_short") && count > 0 ? count - 1 : count, type, root, comm, info,
                     request);
}

int WRAPPER(Allreduce)(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
  // What was there when it was made is what is sent each time.
  const void* const kept = planted("allreduce_init_early") && mine != MPI_IN_PLACE ? spoilt(mine, count, type) : mine;
  return REAL(Allreduce)(kept, all, count, type, op, comm, info, request);
}

int WRAPPER(Alltoall)(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                      MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const int few = planted("alltoall_init_short") && all_count > 0 && mine != MPI_IN_PLACE;
  return REAL(Alltoall)(mine, few ? count - 1 : count, type, all, few ? all_count - 1 : all_count, all_type, comm, info,
                        request);
}
#endif
