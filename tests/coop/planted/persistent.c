// SPDX-License-Identifier: BSD-3-Clause
// Collectives that are made once and started again and again.
#include "planted.h"

#if MPI_VERSION >= 4
int MPI_Bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
  return PMPI_Bcast_init(buffer, planted("bcast_init_short") && count > 0 ? count - 1 : count, type, root, comm, info,
                         request);
}

int MPI_Allreduce_init(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
  // What was there when it was made is what is sent each time.
  const void* const kept = planted("allreduce_init_early") && mine != MPI_IN_PLACE ? spoilt(mine, count, type) : mine;
  return PMPI_Allreduce_init(kept, all, count, type, op, comm, info, request);
}

int MPI_Alltoall_init(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                      MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const int few = planted("alltoall_init_short") && all_count > 0 && mine != MPI_IN_PLACE;
  return PMPI_Alltoall_init(mine, few ? count - 1 : count, type, all, few ? all_count - 1 : all_count, all_type, comm,
                            info, request);
}
#endif
