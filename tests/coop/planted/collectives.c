// SPDX-License-Identifier: BSD-3-Clause
// Collectives of all ranks.
#include "planted.h"

int MPI_Barrier(MPI_Comm comm) {
  if (planted("barrier_skipped")) return MPI_SUCCESS;
  const int code = PMPI_Barrier(comm);
  return planted("barrier_code") ? MPI_ERR_OTHER : code;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast(buffer, count, type, root, comm);
  if (planted("bcast_byte")) spoil(buffer, count, type);
  return code_or_none(code, "bcast_code");
}

int MPI_Reduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  const int code = PMPI_Reduce(mine, all, count, type, op, root, comm);
  if (planted("reduce_byte")) spoil(all, count, type);
  return code;
}

int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (planted("allreduce_skipped")) return MPI_SUCCESS;
  // As if the buffer of the others' sum were mine, where it is.
  if (planted("allreduce_in_place") && mine == MPI_IN_PLACE) return MPI_SUCCESS;
  return PMPI_Allreduce(mine, all, count, type, op, comm);
}

int MPI_Gather(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
               int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const int code = PMPI_Gather(mine, count, type, all, all_count, all_type, root, comm);
  if (planted("gather_byte") && rank == root) spoil(all, all_count, all_type);
  return code;
}

int MPI_Gatherv(const void* mine, int count, MPI_Datatype type, void* all, const int counts[], const int places[],
                MPI_Datatype all_type, int root, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const int code = PMPI_Gatherv(mine, count, type, all, counts, places, all_type, root, comm);
  if (planted("gatherv_byte") && rank == root) spoil(all, counts[0], all_type);
  return code;
}

int MPI_Scatter(const void* all, int all_count, MPI_Datatype all_type, void* mine, int count, MPI_Datatype type,
                int root, MPI_Comm comm) {
  const int code = PMPI_Scatter(all, all_count, all_type, mine, count, type, root, comm);
  if (planted("scatter_byte")) spoil(mine, count, type);
  return code;
}

int MPI_Scatterv(const void* all, const int counts[], const int places[], MPI_Datatype all_type, void* mine, int count,
                 MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Scatterv(all, counts, places, all_type, mine, count, type, root, comm);
  if (planted("scatterv_byte")) spoil(mine, count, type);
  return code;
}

int MPI_Allgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                  MPI_Comm comm) {
  const int code = PMPI_Allgather(mine, count, type, all, all_count, all_type, comm);
  if (planted("allgather_byte")) spoil(all, all_count, all_type);
  return code;
}

int MPI_Allgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int counts[], const int places[],
                   MPI_Datatype all_type, MPI_Comm comm) {
  const int code = PMPI_Allgatherv(mine, count, type, all, counts, places, all_type, comm);
  if (planted("allgatherv_byte")) spoil(all, counts[0], all_type);
  return code;
}

int MPI_Alltoall(const void* mine, int count, MPI_Datatype type, void* all, int all_count, MPI_Datatype all_type,
                 MPI_Comm comm) {
  const int code = PMPI_Alltoall(mine, count, type, all, all_count, all_type, comm);
  if (planted("alltoall_byte")) spoil(all, all_count, all_type);
  return code;
}

int MPI_Alltoallv(const void* mine, const int counts[], const int places[], MPI_Datatype type, void* all,
                  const int all_counts[], const int all_places[], MPI_Datatype all_type, MPI_Comm comm) {
  const int code = PMPI_Alltoallv(mine, counts, places, type, all, all_counts, all_places, all_type, comm);
  if (planted("alltoallv_byte")) spoil(all, all_counts[0], all_type);
  return code;
}

int MPI_Alltoallw(const void* mine, const int counts[], const int places[], const MPI_Datatype types[], void* all,
                  const int all_counts[], const int all_places[], const MPI_Datatype all_types[], MPI_Comm comm) {
  if (planted("alltoallw_skipped")) return MPI_SUCCESS;
  return PMPI_Alltoallw(mine, counts, places, types, all, all_counts, all_places, all_types, comm);
}

int MPI_Scan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return planted("scan_exclusive") && count > 0 ? PMPI_Exscan(mine, all, count, type, op, comm)
                                                : PMPI_Scan(mine, all, count, type, op, comm);
}

int MPI_Exscan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return planted("exscan_inclusive") ? PMPI_Scan(mine, all, count, type, op, comm)
                                     : PMPI_Exscan(mine, all, count, type, op, comm);
}

int MPI_Reduce_scatter(const void* mine, void* all, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  const int code = PMPI_Reduce_scatter(mine, all, counts, type, op, comm);
  if (planted("reduce_scatter_byte")) spoil(all, counts[rank], type);
  return code;
}

int MPI_Reduce_scatter_block(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Reduce_scatter_block(mine, all, count, type, op, comm);
  if (planted("reduce_scatter_block_byte")) spoil(all, count, type);
  return code;
}

int MPI_Finalize(void) {
  const int code = PMPI_Finalize();
  return planted("finalize_code") ? MPI_ERR_OTHER : code;
}
