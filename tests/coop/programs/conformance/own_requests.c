// SPDX-License-Identifier: BSD-3-Clause
// Requests of the program's own: what it says of them, among messages, in each kind of wait and of question, and that each is let go
// once. Where many threads may call another one completes them, while this one waits.
#include "kinds.h"

#include <pthread.h>

enum { kOwn = 3, kAll = kOwn + 2, kLate_us = 300 };

struct Own {
  MPI_Request request;
  int words, tag;
  int is_cancelled, cancelled, freed;  // the last two: how often
};

static int tell(void* state, MPI_Status* status) {
  const struct Own* const own = state;
  MPI_Status_set_elements(status, MPI_INT, own->words);
  MPI_Status_set_cancelled(status, own->is_cancelled);
  status->MPI_SOURCE = me;
  status->MPI_TAG = own->tag;
  return MPI_SUCCESS;
}

static int let_go(void* state) {
  ++((struct Own*)state)->freed;
  return MPI_SUCCESS;
}

static int cancel(void* state, int is_complete) {
  struct Own* const own = state;
  ++own->cancelled;
  if (!is_complete) own->is_cancelled = 1;
  return MPI_SUCCESS;
}

// Once it is said to be over it is.
static void complete(struct Own* own, int round) {
  int over = 0;
  MPI_Status status;
  add_code(MPI_Grequest_complete(own->request));
  MPI_Request_get_status(own->request, &over, &status);
  add((uint64_t)over);
  if (!over) MPI_Abort(MPI_COMM_WORLD, 10 + round);  // nobody would ever end a wait for it
}

static void* complete_later(void* all) {
  for (int i = 0; i < kOwn; ++i) {
    usleep(kLate_us);
    MPI_Grequest_complete(((struct Own*)all)[i].request);
  }
  return NULL;
}

static int have_many_threads(void) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

static uint64_t told_of(int which, const MPI_Status* status) {
  return which < kAll - 1 ? told(status) ^ mixed((uint64_t)which) : 0;  // the last one is a send
}

static uint64_t wait_one_by_one(MPI_Request* requests, MPI_Status* statuses) {
  uint64_t all = 0;
  for (int i = kAll - 1; i >= 0; --i) {
    add_code(MPI_Wait(&requests[i], &statuses[i]));
    all += told_of(i, &statuses[i]);
  }
  return all;
}

static uint64_t told_of_all(const MPI_Status* statuses) {
  uint64_t all = 0;
  for (int i = 0; i < kAll; ++i) all += told_of(i, &statuses[i]);
  return all;
}

static uint64_t wait_for_all(MPI_Request* requests, MPI_Status* statuses) {
  add_code(MPI_Waitall(kAll, requests, statuses));
  return told_of_all(statuses);
}

static uint64_t wait_for_any(MPI_Request* requests, MPI_Status* statuses) {
  uint64_t all = 0;
  for (int left = kAll; left > 0; --left) {
    int index = 0;
    add_code(MPI_Waitany(kAll, requests, &index, statuses));
    all += told_of(index, statuses);
  }
  return all;
}

static uint64_t wait_for_some(MPI_Request* requests, MPI_Status* statuses) {
  uint64_t all = 0;
  for (int left = kAll; left > 0;) {
    int done = 0, indices[kAll];
    if (MPI_Waitsome(kAll, requests, &done, indices, statuses) != MPI_SUCCESS || done < 1) break;
    for (int i = 0; i < done; ++i) all += told_of(indices[i], &statuses[i]);
    left -= done;
  }
  return all;
}

static uint64_t ask_for_all(MPI_Request* requests, MPI_Status* statuses) {
  int over = 0;
  while (!over && MPI_Testall(kAll, requests, &over, statuses) == MPI_SUCCESS) usleep(kLate_us / 10);
  return told_of_all(statuses);
}

static uint64_t ask_one_by_one(MPI_Request* requests, MPI_Status* statuses) {
  uint64_t all = 0;
  for (int i = 0; i < kAll; ++i) {
    int over = 0;
    while (!over && MPI_Test(&requests[i], &over, statuses) == MPI_SUCCESS) usleep(kLate_us / 10);
    all += told_of(i, statuses);
  }
  return all;
}

static uint64_t (*const kWays[])(MPI_Request*, MPI_Status*) = {wait_one_by_one, wait_for_all, wait_for_any,
                                                               wait_for_some,   ask_for_all,  ask_one_by_one};

void own_requests(int round) {
  struct Own own[kOwn];
  MPI_Request requests[kAll];
  MPI_Status statuses[kAll];
  const int count = draw(1000), way = draw((int)(sizeof kWays / sizeof kWays[0])), cancels = draw(2 * kOwn);
  const int is_late = have_many_threads();
  pthread_t other;
  int over = 0;
  fill(count, round);
  for (int i = 0; i < kOwn; ++i) {
    own[i] = (struct Own){.words = draw(100), .tag = draw(100)};
    add_code(MPI_Grequest_start(tell, let_go, cancel, &own[i], &own[i].request));
    requests[i] = own[i].request;
  }
  add_code(MPI_Test(&requests[0], &over, statuses));
  add((uint64_t)over);
  if (cancels < kOwn) add_code(MPI_Cancel(&requests[cancels]));
  MPI_Irecv(in, count, MPI_INT, last_rank(1), round, world, &requests[kOwn]);
  be_late();
  MPI_Isend(out, count, MPI_INT, next_rank(1), round, world, &requests[kOwn + 1]);
  for (int i = 0; i < kOwn && !is_late; ++i) complete(&own[i], round);
  if (is_late) pthread_create(&other, NULL, complete_later, own);
  add(kWays[way](requests, statuses));
  if (is_late) pthread_join(other, NULL);
  for (int i = 0; i < kOwn; ++i) add((uint64_t)own[i].freed << 8U ^ (uint64_t)own[i].cancelled);
  for (int i = 0; i < kAll; ++i) add(requests[i] == MPI_REQUEST_NULL);
  add_ints(in, count);
  MPI_Barrier(world);
}
