// SPDX-License-Identifier: BSD-3-Clause
// Collectives of neighbours.
#include "planted.h"

int MPI_Neighbor_allgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                           MPI_Datatype all_type, MPI_Comm comm) {
  const int code = PMPI_Neighbor_allgather(mine, count, type, all, all_count, all_type, comm);
  if (planted("neighbor_allgather_byte")) spoil(all, all_count, all_type);
  return code;
}

int MPI_Neighbor_allgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int counts[],
                            const int places[], MPI_Datatype all_type, MPI_Comm comm) {
  const int code = PMPI_Neighbor_allgatherv(mine, count, type, all, counts, places, all_type, comm);
  if (planted("neighbor_allgatherv_byte")) spoil(all, counts[0], all_type);
  return code;
}

int MPI_Neighbor_alltoall(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                          MPI_Datatype all_type, MPI_Comm comm) {
  return planted("neighbor_alltoall_skipped")
             ? MPI_SUCCESS
             : PMPI_Neighbor_alltoall(mine, count, type, all, all_count, all_type, comm);
}

int MPI_Neighbor_alltoallv(const void* mine, const int counts[], const int places[], MPI_Datatype type, void* all,
                           const int all_counts[], const int all_places[], MPI_Datatype all_type, MPI_Comm comm) {
  const int code = PMPI_Neighbor_alltoallv(mine, counts, places, type, all, all_counts, all_places, all_type, comm);
  if (planted("neighbor_alltoallv_byte")) spoil(all, all_counts[0], all_type);
  return code;
}

int MPI_Neighbor_alltoallw(const void* mine, const int counts[], const MPI_Aint places[], const MPI_Datatype types[],
                           void* all, const int all_counts[], const MPI_Aint all_places[],
                           const MPI_Datatype all_types[], MPI_Comm comm) {
  if (planted("neighbor_alltoallw_skipped")) return MPI_SUCCESS;
  return PMPI_Neighbor_alltoallw(mine, counts, places, types, all, all_counts, all_places, all_types, comm);
}

int MPI_Ineighbor_allgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                            MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ineighbor_allgather(sent("ineighbor_allgather_byte", mine, count, type), count, type, all, all_count,
                                  all_type, comm, request);
}

int MPI_Ineighbor_allgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int counts[],
                             const int places[], MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ineighbor_allgatherv(sent("ineighbor_allgatherv_byte", mine, count, type), count, type, all, counts,
                                   places, all_type, comm, request);
}

int MPI_Ineighbor_alltoall(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                           MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ineighbor_alltoall(sent("ineighbor_alltoall_byte", mine, count, type), count, type, all, all_count,
                                 all_type, comm, request);
}

// What is sent to all begins where the first one's does.
static const int kNone[64];
static const MPI_Aint kNoBytes[64];

int MPI_Ineighbor_alltoallv(const void* mine, const int counts[], const int places[], MPI_Datatype type, void* all,
                            const int all_counts[], const int all_places[], MPI_Datatype all_type, MPI_Comm comm,
                            MPI_Request* request) {
  const int* const from = planted("ineighbor_alltoallv_place") ? kNone : places;
  return PMPI_Ineighbor_alltoallv(mine, counts, from, type, all, all_counts, all_places, all_type, comm, request);
}

int MPI_Ineighbor_alltoallw(const void* mine, const int counts[], const MPI_Aint places[], const MPI_Datatype types[],
                            void* all, const int all_counts[], const MPI_Aint all_places[],
                            const MPI_Datatype all_types[], MPI_Comm comm, MPI_Request* request) {
  const MPI_Aint* const from = planted("ineighbor_alltoallw_place") ? kNoBytes : places;
  return PMPI_Ineighbor_alltoallw(mine, counts, from, types, all, all_counts, all_places, all_types, comm, request);
}
