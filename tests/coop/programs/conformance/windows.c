// SPDX-License-Identifier: BSD-3-Clause
// Windows: operations that are requests (MPI_Rput and its kinds), in each kind of wait and of question. Each rank works on a block of its own
// in the memory of one other, so what is there then is no matter of time.
#include "kinds.h"

enum { kBlock = 500, kWays = 6, kApart_us = 20, kAtOnce = 2 };  // of a block: numbers

// Open MPI 4.1 makes none of one rank on some hosts, and none over TCP.
static int has_windows(void) {
#ifdef OPEN_MPI
  return size > 1 && all_are_on_one_host();
#else
  return 1;
#endif
}

static void finish(int way, int count, MPI_Request* requests) {
  int index = 0, done = 0, over = 0, indices[kAtOnce];
  MPI_Status statuses[kAtOnce];
  for (int i = 0; i < count && way == 0; ++i) add_code(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  if (way == 1) add_code(MPI_Waitall(count, requests, statuses));
  for (int i = 0; i < count && way == 2; ++i) add_code(MPI_Waitany(count, requests, &index, statuses));
  while (way == 3 && done != MPI_UNDEFINED && !over) {
    over = MPI_Waitsome(count, requests, &done, indices, statuses) != MPI_SUCCESS;
  }
  for (int i = 0; i < count && way == 4; ++i) {
    for (over = 0; !over;) {
      add_failure(MPI_Test(&requests[i], &over, MPI_STATUS_IGNORE));
      if (!over) usleep(kApart_us);
    }
  }
  while (way == 5 && !over) {
    add_failure(MPI_Testall(count, requests, &over, MPI_STATUSES_IGNORE));
    if (!over) usleep(kApart_us);
  }
  for (int i = 0; i < count; ++i) add(requests[i] == MPI_REQUEST_NULL);
}

static MPI_Win some_window(int** memory) {
  static int own[64 * kBlock];
  MPI_Win window;
  const MPI_Aint bytes = (MPI_Aint)sizeof own[0] * size * kBlock;
  if (draw(2)) {
    add_code(MPI_Win_allocate(bytes, sizeof own[0], MPI_INFO_NULL, world, memory, &window));
  } else {
    *memory = own;
    add_code(MPI_Win_create(own, bytes, sizeof own[0], MPI_INFO_NULL, world, &window));
  }
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  return window;
}

static void set_memory(int* memory, MPI_Win window) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, window);
  for (int i = 0; i < size * kBlock; ++i) memory[i] = (int)mixed((uint64_t)me << 32U ^ (uint64_t)i);
  MPI_Win_unlock(me, window);
}

// What is put there, added to it, fetched with something added, and fetched: by that rank's block of mine.
static void work_on(int target, int ints, struct Basic of, MPI_Win window) {
  const MPI_Op kAdded[] = {MPI_SUM, MPI_REPLACE, MPI_NO_OP};
  const MPI_Aint at = (MPI_Aint)me * kBlock;
  const int count = count_of(ints, of), way = draw(kWays), added = draw(3);
  MPI_Request requests[kAtOnce] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  add_code(MPI_Rput(out, count, of.type, target, at, count, of.type, window, &requests[0]));
  finish(way, 1, requests);
  add_code(MPI_Win_flush(target, window));
  add_code(MPI_Raccumulate(out + kBlock, ints, MPI_INT, target, at, ints, MPI_INT, MPI_SUM, window, &requests[0]));
  finish(way, 1, requests);
  add_code(MPI_Win_flush(target, window));
  add_code(MPI_Rget_accumulate(out + 2 * kBlock, ints, MPI_INT, in, ints, MPI_INT, target, at, ints, MPI_INT,
                               kAdded[added], window, &requests[0]));
  finish(way, 1, requests);
  add_code(MPI_Win_flush(target, window));
  const int half = ints / 2;
  add_code(MPI_Rget(in + kBlock, half, MPI_INT, target, at, half, MPI_INT, window, &requests[0]));
  add_code(MPI_Rget(in + kBlock + half, ints - half, MPI_INT, target, at + half, ints - half, MPI_INT, window,
                    &requests[1]));
  finish(way, 2, requests);
  add_ints(in, 2 * kBlock);
  add_code(MPI_Rput(out, 1, MPI_INT, size, 0, 1, MPI_INT, window, &requests[0]));  // to nobody
}

void window_requests(int round) {
  int* memory = NULL;
  const int ints = draw(4) == 0 ? kBlock : draw(50), step = draw(size), of_all = draw(2);
  const struct Basic of = some_type();
  if (!has_windows()) return;
  MPI_Win window = some_window(&memory);
  fill(3 * kBlock, round);
  set_memory(memory, window);
  MPI_Barrier(world);
  be_late();
  const int target = next_rank(step);
  if (of_all) {
    add_code(MPI_Win_lock_all(0, window));
  } else {
    add_code(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window));
  }
  work_on(target, ints, of, window);
  add_code(of_all ? MPI_Win_unlock_all(window) : MPI_Win_unlock(target, window));
  MPI_Barrier(world);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window);
  add_ints(memory, size * kBlock);
  MPI_Win_unlock(me, window);
  MPI_Barrier(world);
  add_code(MPI_Win_free(&window));
}
