// SPDX-License-Identifier: BSD-3-Clause
// Windows: their epochs, and what is done in them.
#include "planted.h"

int MPI_Win_create(void* memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window) {
  const int code = PMPI_Win_create(memory, bytes, unit, info, comm, window);
  return planted("win_create_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* memory, MPI_Win* window) {
  const int code = PMPI_Win_allocate(bytes, unit, info, comm, memory, window);
  return planted("win_allocate_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* memory, MPI_Win* window) {
  const int code = PMPI_Win_allocate_shared(bytes, unit, info, comm, memory, window);
  return planted("win_allocate_shared_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* window) {
  const int code = PMPI_Win_create_dynamic(info, comm, window);
  return planted("win_create_dynamic_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_free(MPI_Win* window) {
  MPI_Win freed = *window;
  if (planted("win_free_handle")) return PMPI_Win_free(&freed);

  const int code = PMPI_Win_free(window);
  return planted("win_free_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_fence(int assert, MPI_Win window) {
  if (planted("fence_skipped")) return MPI_SUCCESS;
  const int code = PMPI_Win_fence(assert, window);
  return planted("fence_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_post(MPI_Group group, int assert, MPI_Win window) {
  const int code = PMPI_Win_post(group, assert, window);
  return planted("post_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_start(MPI_Group group, int assert, MPI_Win window) {
  const int code = PMPI_Win_start(group, assert, window);
  return planted("start_epoch_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_complete(MPI_Win window) {
  const int code = PMPI_Win_complete(window);
  return planted("complete_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_wait(MPI_Win window) {
  if (planted("win_wait_skipped")) return MPI_SUCCESS;
  const int code = PMPI_Win_wait(window);
  return planted("win_wait_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_test(MPI_Win window, int* over) {
  const int code = PMPI_Win_test(window, over);
  if (planted("win_test_early")) *over = 1;
  return planted("win_test_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_lock(int type, int rank, int assert, MPI_Win window) {
  const int code = PMPI_Win_lock(type, rank, assert, window);
  return planted("lock_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_unlock(int rank, MPI_Win window) {
  const int code = PMPI_Win_unlock(rank, window);
  return planted("unlock_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_lock_all(int assert, MPI_Win window) {
  const int code = PMPI_Win_lock_all(assert, window);
  return planted("lock_all_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_unlock_all(MPI_Win window) {
  const int code = PMPI_Win_unlock_all(window);
  return planted("unlock_all_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_flush_all(MPI_Win window) {
  const int code = PMPI_Win_flush_all(window);
  return planted("flush_all_code") ? MPI_ERR_OTHER : code;
}

int MPI_Win_flush(int rank, MPI_Win window) {
  const int code = PMPI_Win_flush(rank, window);
  return planted("flush_code") ? MPI_ERR_OTHER : code;
}

int MPI_Put(const void* mine, int count, MPI_Datatype type, int rank, MPI_Aint place, int there, MPI_Datatype as,
            MPI_Win window) {
  return PMPI_Put(planted("put_byte") ? spoilt(mine, count, type) : mine, count, type, rank, place, there, as, window);
}

int MPI_Get(void* mine, int count, MPI_Datatype type, int rank, MPI_Aint place, int there, MPI_Datatype as,
            MPI_Win window) {
  return PMPI_Get(mine, count, type, rank, planted("get_place") ? 0 : place, there, as, window);
}

int MPI_Accumulate(const void* mine, int count, MPI_Datatype type, int rank, MPI_Aint place, int there, MPI_Datatype as,
                   MPI_Op op, MPI_Win window) {
  const int code = PMPI_Accumulate(sent("accumulate_byte", mine, count, type), count, type, rank, place, there, as,
                                   planted("accumulate_replaces") ? MPI_REPLACE : op, window);
  return planted("accumulate_code") ? MPI_ERR_OTHER : code;
}

int MPI_Get_accumulate(const void* mine, int count, MPI_Datatype type, void* before, int before_count,
                       MPI_Datatype before_type, int rank, MPI_Aint place, int there, MPI_Datatype as, MPI_Op op,
                       MPI_Win window) {
  const MPI_Op done = planted("get_accumulate_adds_nothing") ? MPI_NO_OP : op;
  return PMPI_Get_accumulate(mine, count, type, before, before_count, before_type, rank, place, there, as, done,
                             window);
}

int MPI_Compare_and_swap(const void* mine, const void* expected, void* before, MPI_Datatype type, int rank,
                         MPI_Aint place, MPI_Win window) {
  return PMPI_Compare_and_swap(mine, planted("compare_always") ? mine : expected, before, type, rank, place, window);
}

int MPI_Fetch_and_op(const void* mine, void* before, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op,
                     MPI_Win window) {
  if (planted("fetch_twice")) PMPI_Accumulate(mine, 1, type, rank, place, 1, type, op, window);
  return PMPI_Fetch_and_op(mine, before, type, rank, place, op, window);
}

int MPI_Rput(const void* mine, int count, MPI_Datatype type, int rank, MPI_Aint place, int there, MPI_Datatype as,
             MPI_Win window, MPI_Request* request) {
  const void* const put = planted("rput_byte") ? spoilt(mine, count, type) : mine;
  return code_or_none(PMPI_Rput(put, count, type, rank, place, there, as, window, request), "rput_code");
}

int MPI_Rget(void* mine, int count, MPI_Datatype type, int rank, MPI_Aint place, int there, MPI_Datatype as,
             MPI_Win window, MPI_Request* request) {
  return PMPI_Rget(mine, count, type, rank, planted("rget_place") ? 0 : place, there, as, window, request);
}

int MPI_Raccumulate(const void* mine, int count, MPI_Datatype type, int rank, MPI_Aint place, int there,
                    MPI_Datatype as, MPI_Op op, MPI_Win window, MPI_Request* request) {
  const MPI_Op done = planted("raccumulate_replaces") ? MPI_REPLACE : op;
  return PMPI_Raccumulate(mine, count, type, rank, place, there, as, done, window, request);
}

int MPI_Rget_accumulate(const void* mine, int count, MPI_Datatype type, void* before, int before_count,
                        MPI_Datatype before_type, int rank, MPI_Aint place, int there, MPI_Datatype as, MPI_Op op,
                        MPI_Win window, MPI_Request* request) {
  const MPI_Op done = planted("rget_accumulate_adds_nothing") ? MPI_NO_OP : op;
  return PMPI_Rget_accumulate(mine, count, type, before, before_count, before_type, rank, place, there, as, done,
                              window, request);
}
