// SPDX-License-Identifier: BSD-3-Clause
// Questions: whether requests are over, asked again and again, by each of MPI_Test and its kinds. What is over in which of them is a matter
// of time; what they tell in all of them is not, nor that nothing is before anybody has sent.
#include "kinds.h"

enum { kMessages = 5, kAll = 2 * kMessages, kApart_us = 20, kUnsent = 4242 };

struct Asked {
  MPI_Request requests[kAll];  // receives, and then sends
  MPI_Status statuses[kAll];
  int indices[kAll], is_over[kAll];
  int over, ignored;  // how many were told as over; whether statuses are
  uint64_t told;
};

static void note_over(struct Asked* asked, int which, const MPI_Status* status) {
  asked->is_over[which] = 1;
  ++asked->over;
  if (which < kMessages) asked->told += mixed((uint64_t)which) ^ (asked->ignored ? 0 : told_with_error(status));
}

// Each returns whether none is left.
static int ask_one_by_one(struct Asked* asked) {
  int left = 0;
  for (int i = 0; i < kAll; ++i) {
    int over = 0;
    if (asked->is_over[i]) continue;
    leave_untouched(asked->statuses, 1);
    add_failure(MPI_Test(&asked->requests[i], &over, asked->ignored ? MPI_STATUS_IGNORE : asked->statuses));
    if (over) note_over(asked, i, asked->statuses);
    left += !over;
  }
  return left == 0;
}

static int ask_for_any(struct Asked* asked) {
  int over = 0, index = MPI_UNDEFINED;
  leave_untouched(asked->statuses, 1);
  add_failure(MPI_Testany(kAll, asked->requests, &index, &over, asked->ignored ? MPI_STATUS_IGNORE : asked->statuses));
  if (over && index != MPI_UNDEFINED) note_over(asked, index, asked->statuses);
  return over && index == MPI_UNDEFINED;
}

static int ask_for_some(struct Asked* asked) {
  int done = 0;
  MPI_Status* const ignored = MPI_STATUSES_IGNORE;
  leave_untouched(asked->statuses, kAll);
  add_failure(MPI_Testsome(kAll, asked->requests, &done, asked->indices, asked->ignored ? ignored : asked->statuses));
  for (int i = 0; i < done; ++i) note_over(asked, asked->indices[i], &asked->statuses[i]);  // MPI_UNDEFINED is below 0
  return done == MPI_UNDEFINED;
}

static int ask_for_all(struct Asked* asked) {
  int over = 0;
  MPI_Status* const ignored = MPI_STATUSES_IGNORE;
  leave_untouched(asked->statuses, kAll);
  add_failure(MPI_Testall(kAll, asked->requests, &over, asked->ignored ? ignored : asked->statuses));
  for (int i = 0; i < kAll && over; ++i) {
    if (!asked->is_over[i]) note_over(asked, i, &asked->statuses[i]);
  }
  return over;
}

// What is told of a request that is over stays with it until it is waited for.
static int ask_for_status(struct Asked* asked) {
  int left = 0;
  for (int i = 0; i < kAll; ++i) {
    int over = 0;
    if (asked->is_over[i]) continue;
    leave_untouched(asked->statuses, 1);
    add_failure(
        MPI_Request_get_status(asked->requests[i], &over, asked->ignored ? MPI_STATUS_IGNORE : asked->statuses));
    if (over) note_over(asked, i, asked->statuses);
    if (over) add_failure(MPI_Wait(&asked->requests[i], MPI_STATUS_IGNORE));
    left += !over;
  }
  return left == 0;
}

static int (*const kWays[])(struct Asked*) = {ask_one_by_one, ask_for_any, ask_for_some, ask_for_all, ask_for_status};
enum { kWayCount = sizeof kWays / sizeof kWays[0] };

static void start_receives(struct Asked* asked, int count, int ints, MPI_Datatype type, int unsent, int again) {
  for (int i = 0; i < kMessages; ++i) {
    const int from = i == unsent ? me : last_rank(i), tag = i == unsent ? kUnsent : i;
    if (again) {
      MPI_Recv_init(in + i * ints, count, type, from, tag, world, &asked->requests[i]);
      MPI_Start(&asked->requests[i]);
    } else {
      MPI_Irecv(in + i * ints, count, type, from, tag, world, &asked->requests[i]);
    }
  }
}

static void start_sends(struct Asked* asked, int count, int ints, MPI_Datatype type, int unsent) {
  for (int i = 0; i < kMessages; ++i) {
    if (i == unsent) continue;
    MPI_Isend(out + i * ints, count, type, next_rank(i), i, world, &asked->requests[kMessages + i]);
  }
}

// Of no request, and of one that is none.
static void ask_of_nothing(void) {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status = untouched();
  int over = 0, index = 0, done = 0;
  add_code(MPI_Test(&none, &over, &status));
  add((uint64_t)over);
  add_code(MPI_Testall(0, NULL, &over, MPI_STATUSES_IGNORE));
  add((uint64_t)over);
  add_code(MPI_Testany(1, &none, &index, &over, &status));
  add((uint64_t)over << 1U ^ (uint64_t)(index == MPI_UNDEFINED));
  add_code(MPI_Testsome(1, &none, &done, &index, &status));
  add(done == MPI_UNDEFINED);
}

void questions(int round) {
  const struct Basic of = some_type();
  const int ints = draw(2000), way = draw(kWayCount), again = draw(2), unsent = draw(2 * kMessages);
  const int count = count_of(ints, of);
  struct Asked asked = {.ignored = draw(3) == 0};
  for (int i = 0; i < kAll; ++i) asked.requests[i] = MPI_REQUEST_NULL;
  fill(kMessages * ints, round);
  start_receives(&asked, count, ints, of.type, unsent, again);
  for (int i = 0; i < kMessages; ++i) asked.is_over[kMessages + i] = 1;  // not begun
  for (int i = 0; i < kWayCount; ++i) add((uint64_t)kWays[i](&asked));
  add((uint64_t)asked.over);
  MPI_Barrier(world);
  be_late();
  start_sends(&asked, count, ints, of.type, unsent);
  for (int i = 0; i < kMessages; ++i) asked.is_over[kMessages + i] = i == unsent;
  if (unsent < kMessages) add_code(MPI_Cancel(&asked.requests[unsent]));
  while (!kWays[way](&asked)) usleep(kApart_us);
  for (int i = 0; i < kAll; ++i) add(asked.requests[i] == MPI_REQUEST_NULL);
  for (int i = 0; i < kMessages && again; ++i) MPI_Request_free(&asked.requests[i]);
  add((uint64_t)asked.over);
  add(asked.told);
  add_ints(in, kMessages * ints);
  ask_of_nothing();
  MPI_Barrier(world);
}
