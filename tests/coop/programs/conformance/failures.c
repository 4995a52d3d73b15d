// SPDX-License-Identifier: BSD-3-Clause
// Requests that are completed together and of which some fail: which ones, by what they say themselves.
#include "kinds.h"

enum { kMessages = 5, kFits = 3, kRoom = 4, kTooMuch = 10 };

struct Many {
  MPI_Request requests[kMessages];
  MPI_Status statuses[kMessages];
};

static uint64_t told_of(const struct Many* many, int at, int which) {
  int class = 0;
  MPI_Error_class(many->statuses[at].MPI_ERROR, &class);
  return mixed((uint64_t)which << 32U ^ (uint64_t)(unsigned)class << 16U ^
               (uint64_t)(unsigned)(many->statuses[at].MPI_TAG + 10));
}

static void start_receives(struct Many* many, int from, MPI_Comm comm) {
  for (int i = 0; i < kMessages; ++i) {
    MPI_Irecv(in + i * kTooMuch, kRoom, MPI_INT, from, i, comm, &many->requests[i]);
  }
}

// Which of them are too long all ranks draw alike.
static void start_sends(MPI_Request* sends, int too_long, int to, MPI_Comm comm) {
  for (int i = 0; i < kMessages; ++i) {
    MPI_Issend(out, (too_long >> i & 1) != 0 ? kTooMuch : kFits, MPI_INT, to, i, comm, &sends[i]);
  }
}

// MPICH's MPI_Waitall leaves those behind the first that has failed as they are, and its MPI_Testall does not.
static void wait_for_the_rest(struct Many* many) {
  for (int i = 0; i < kMessages; ++i) MPI_Waitall(kMessages, many->requests, MPI_STATUSES_IGNORE);
}

// All have come, or else which of them are still pending would be a matter of time.
static void wait_for_all(struct Many* many) {
  const int code = MPI_Waitall(kMessages, many->requests, many->statuses);
  add_code(code);
  for (int i = 0; i < kMessages; ++i) {
    add(told_of(many, i, i));
    if (code != MPI_SUCCESS && many->statuses[i].MPI_ERROR != MPI_SUCCESS) break;
  }
  wait_for_the_rest(many);
}

static void wait_for_all_untold(struct Many* many) {
  add_code(MPI_Waitall(kMessages, many->requests, MPI_STATUSES_IGNORE));
  wait_for_the_rest(many);
}

static void wait_for_some(struct Many* many) {
  uint64_t all = 0;
  for (int left = kMessages; left > 0;) {
    int indices[kMessages] = {0}, done = 0, class = 0;
    leave_untouched(many->statuses, kMessages);
    MPI_Error_class(MPI_Waitsome(kMessages, many->requests, &done, indices, many->statuses), &class);
    if (done < 1) break;
    for (int i = 0; i < done; ++i) {
      // Where all went well it says nothing of each, and how many it tells of is a matter of time.
      if (class != MPI_ERR_IN_STATUS) many->statuses[i].MPI_ERROR = MPI_SUCCESS;
      all += told_of(many, i, indices[i]);
    }
    left -= done;
  }
  add(all);
}

static void wait_for_any(struct Many* many) {
  uint64_t all = 0;
  for (int i = 0; i < kMessages; ++i) {
    int index = 0, class = 0;
    leave_untouched(many->statuses, 1);
    MPI_Error_class(MPI_Waitany(kMessages, many->requests, &index, many->statuses), &class);
    all += mixed((uint64_t)(unsigned)index << 32U ^ (uint64_t)(unsigned)class << 16U ^
                 (uint64_t)(unsigned)many->statuses[0].MPI_ERROR);
  }
  add(all);
}

static void (*const kWays[])(struct Many*) = {wait_for_all, wait_for_all_untold, wait_for_some, wait_for_any};

// Open MPI's MPI_Waitany that meets one which has failed ends all others that have by then, which is a matter of time.
static int fails_by_itself(int way) {
#ifdef OPEN_MPI
  return kWays[way] == wait_for_any;
#else
  (void)way;
  return 0;
#endif
}

void failures_of_many(int round) {
  struct Many many;
  MPI_Request sends[kMessages];
  MPI_Comm twin;
  const int way = draw(4), drawn = draw(1 << kMessages), step = draw(size);
  const int too_long = fails_by_itself(way) ? drawn & -drawn : drawn;
  MPI_Comm_dup(world, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPICH hands it there
  fill(kMessages * kTooMuch, round);
  leave_untouched(many.statuses, kMessages);
  start_receives(&many, last_rank(step), twin);
  be_late();
  start_sends(sends, too_long, next_rank(step), twin);
  if (way < 2) {
    MPI_Waitall(kMessages, sends, MPI_STATUSES_IGNORE);
    MPI_Barrier(twin);
  }
  kWays[way](&many);
  for (int i = 0; i < kMessages; ++i) add(many.requests[i] == MPI_REQUEST_NULL);
  if (way >= 2) MPI_Waitall(kMessages, sends, MPI_STATUSES_IGNORE);
  add_ints(in, kMessages * kTooMuch);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&twin);
}
