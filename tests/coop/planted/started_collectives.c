// SPDX-License-Identifier: BSD-3-Clause
// Collectives that are started: what a rank sends is another byte, or lies elsewhere.
#include "planted.h"

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ibarrier(planted("ibarrier_alone") ? MPI_COMM_SELF : comm, request);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  if (planted("ibcast_byte")) spoil(buffer, count, type);
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Igather(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                int root, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Igather(sent("igather_byte", mine, count, type), count, type, all, all_count, all_type, root, comm,
                      request);
}

int MPI_Igatherv(const void* mine, int count, MPI_Datatype type, void* all, const int counts[], const int places[],
                 MPI_Datatype all_type, int root, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Igatherv(sent("igatherv_byte", mine, count, type), count, type, all, counts, places, all_type, root, comm,
                       request);
}

int MPI_Iscatter(const void* all, int all_count, MPI_Datatype all_type, void* mine, int count, MPI_Datatype type,
                 int root, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Iscatter(sent("iscatter_byte", all, all_count, all_type), all_count, all_type, mine, count, type, root,
                       comm, request);
}

// As if they all began where the first does.
int MPI_Iscatterv(const void* all, const int counts[], const int places[], MPI_Datatype all_type, void* mine, int count,
                  MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  static int none[1024];
  return PMPI_Iscatterv(all, counts, planted("iscatterv_place") ? none : places, all_type, mine, count, type, root,
                        comm, request);
}

int MPI_Iallgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                   MPI_Comm comm, MPI_Request* request) {
  return PMPI_Iallgather(sent("iallgather_byte", mine, count, type), count, type, all, all_count, all_type, comm,
                         request);
}

int MPI_Iallgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int counts[], const int places[],
                    MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Iallgatherv(sent("iallgatherv_byte", mine, count, type), count, type, all, counts, places, all_type, comm,
                          request);
}

int MPI_Ialltoall(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                  MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ialltoall(sent("ialltoall_byte", mine, count, type), count, type, all, all_count, all_type, comm,
                        request);
}

int MPI_Ialltoallv(const void* mine, const int counts[], const int places[], MPI_Datatype type, void* all,
                   const int all_counts[], const int all_places[], MPI_Datatype all_type, MPI_Comm comm,
                   MPI_Request* request) {
  static int none[1024];
  const int* const from = planted("ialltoallv_place") ? none : places;
  return PMPI_Ialltoallv(mine, counts, from, type, all, all_counts, all_places, all_type, comm, request);
}

int MPI_Ialltoallw(const void* mine, const int counts[], const int places[], const MPI_Datatype types[], void* all,
                   const int all_counts[], const int all_places[], const MPI_Datatype all_types[], MPI_Comm comm,
                   MPI_Request* request) {
  static int none[1024];
  const int* const from = planted("ialltoallw_place") ? none : places;
  return PMPI_Ialltoallw(mine, counts, from, types, all, all_counts, all_places, all_types, comm, request);
}

int MPI_Ireduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request* request) {
  return PMPI_Ireduce(mine, all, count, type, planted("ireduce_op") ? MPI_SUM : op, root, comm, request);
}

int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  return PMPI_Iallreduce(mine, all, planted("iallreduce_short") && count > 0 ? count - 1 : count, type, op, comm,
                         request);
}

int MPI_Ireduce_scatter(const void* mine, void* all, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
  return PMPI_Ireduce_scatter(mine, all, counts, type, planted("ireduce_scatter_op") ? MPI_SUM : op, comm, request);
}

int MPI_Ireduce_scatter_block(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request* request) {
  return PMPI_Ireduce_scatter_block(mine, all, count, type, planted("ireduce_scatter_block_op") ? MPI_SUM : op, comm,
                                    request);
}

int MPI_Iscan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
  return PMPI_Iscan(sent("iscan_byte", mine, count, type), all, count, type, op, comm, request);
}

int MPI_Iexscan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
  return planted("iexscan_inclusive") ? PMPI_Iscan(mine, all, count, type, op, comm, request)
                                      : PMPI_Iexscan(mine, all, count, type, op, comm, request);
}
