// SPDX-License-Identifier: BSD-3-Clause
// Windows: operations that are requests (MPI_Rput and its kinds), in each kind of wait and of question. Each rank works on a block of its own
// in the memory of one other, so what is there then is no matter of time.
#include "../kinds.h"
#include "memory.h"

enum { kMostOfThem = 500, kWays = 6, kApart_us = 20, kAtOnce = 2 };

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

// What is put there, added to it, fetched with something added, and fetched: by that rank's block of mine.
static void request_all(const struct Memory* memory, int target, int ints, struct Basic of) {
  const MPI_Op kAdded[] = {MPI_SUM, MPI_REPLACE, MPI_NO_OP};
  const MPI_Win window = memory->window;
  const MPI_Aint at = place_of(memory, target, own_block(memory));
  const int count = count_of(ints, of), way = draw(kWays), added = draw(3);
  MPI_Request requests[kAtOnce] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  add_code(MPI_Rput(out, count, of.type, target, at, count, of.type, window, &requests[0]));
  finish(way, 1, requests);
  add_code(MPI_Win_flush(target, window));
  add_code(MPI_Raccumulate(out + kMostOfThem, ints, MPI_INT, target, at, ints, MPI_INT, MPI_SUM, window, &requests[0]));
  finish(way, 1, requests);
  add_code(MPI_Win_flush(target, window));
  add_code(MPI_Rget_accumulate(out + 2 * kMostOfThem, ints, MPI_INT, in, ints, MPI_INT, target, at, ints, MPI_INT,
                               kAdded[added], window, &requests[0]));
  finish(way, 1, requests);
  add_code(MPI_Win_flush(target, window));
  const int half = ints / 2;
  add_code(MPI_Rget(in + kMostOfThem, half, MPI_INT, target, at, half, MPI_INT, window, &requests[0]));
  add_code(MPI_Rget(in + kMostOfThem + half, ints - half, MPI_INT, target,
                    place_of(memory, target, own_block(memory) + half), ints - half, MPI_INT, window, &requests[1]));
  finish(way, 2, requests);
  add_ints(in, 2 * kMostOfThem);
  add_code(MPI_Rput(out, 1, MPI_INT, memory->ranks, 0, 1, MPI_INT, window, &requests[0]));  // to nobody
}

void window_requests(int round) {
  if (!has_windows()) return;
  struct Memory memory = some_memory();
  const int ints = draw(4) == 0 ? kMostOfThem : draw(50), step = draw(memory.ranks), of_all = draw(2);
  const int target = (memory.rank + step) % memory.ranks;
  const struct Basic of = some_type();
  fill(3 * kMostOfThem, round);
  be_late();
  if (of_all) {
    add_code(MPI_Win_lock_all(0, memory.window));
  } else {
    add_code(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, memory.window));
  }
  request_all(&memory, target, ints, of);
  add_code(of_all ? MPI_Win_unlock_all(memory.window) : MPI_Win_unlock(target, memory.window));
  add_memory_under_lock(&memory);
  free_memory(&memory);
}
