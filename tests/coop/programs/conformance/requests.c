// SPDX-License-Identifier: BSD-3-Clause
// Requests: many at once, persistent ones, cancelled ones.
#include "kinds.h"

// The order in which they complete is anybody's, what they bring is not.
void many_requests(int round) {
  enum { kMessages = 6 };
  const struct Basic of = some_type();
  const int ints = draw(2000), count = count_of(ints, of), way = draw(4), holes = draw(2);
  MPI_Request requests[2 * kMessages];
  MPI_Status statuses[2 * kMessages];
  leave_untouched(statuses, 2 * kMessages);
  int indices[2 * kMessages];
  uint64_t all = 0;
  MPI_Status* const ignored = MPI_STATUSES_IGNORE;
  fill(kMessages * ints, round);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Irecv(in + i * ints, count, of.type, last_rank(i), i, world, &requests[i]);
  }
  be_late();
  for (int i = 0; i < kMessages; ++i) {
    MPI_Isend(out + i * ints, count, of.type, next_rank(i), i, world, &requests[kMessages + i]);
  }
  if (holes) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (way == 0) {
    add_code(MPI_Waitall(2 * kMessages, requests, statuses));
    for (int i = holes; i < kMessages; ++i) all += told_with_error(&statuses[i]) ^ mixed((uint64_t)i);
  } else if (way == 1) {
    add_code(MPI_Waitall(2 * kMessages, requests, ignored));
  } else if (way == 2) {
    for (;;) {
      int index = 0;
      leave_untouched(statuses, 1);
      add_code(MPI_Waitany(2 * kMessages, requests, &index, statuses));
      if (index == MPI_UNDEFINED) break;
      if (index < kMessages) all += told_with_error(statuses) ^ mixed((uint64_t)index);
    }
  } else {
    for (;;) {
      int done = 0;
      leave_untouched(statuses, 2 * kMessages);
      const int code = MPI_Waitsome(2 * kMessages, requests, &done, indices, statuses);
      if (code != MPI_SUCCESS) add_code(code);
      if (done == MPI_UNDEFINED) break;
      for (int i = 0; i < done; ++i) {
        if (indices[i] < kMessages) all += told_with_error(&statuses[i]) ^ mixed((uint64_t)indices[i]);
      }
    }
  }
  for (int i = 0; i < 2 * kMessages; ++i) add(requests[i] == MPI_REQUEST_NULL);
  add(all);
  add_ints(in, kMessages * ints);
}

static int init_send(int mode, int count, int to, int tag, MPI_Request* request) {
  if (mode == 0) return MPI_Send_init(out, count, MPI_INT, to, tag, world, request);
  if (mode == 1) return MPI_Ssend_init(out, count, MPI_INT, to, tag, world, request);
  if (mode == 2) return MPI_Bsend_init(out, count, MPI_INT, to, tag, world, request);
  return MPI_Rsend_init(out, count, MPI_INT, to, tag, world, request);
}

void persistent(int round) {
  enum { kBuffered = 2, kReady = 3 };
  const int wanted = some_count(), step = draw(size), way = draw(3), mode = draw(4), nobody = draw(6) == 0;
  const int count = mode == kBuffered && wanted > 1000 ? 1000 : wanted;  // Open MPI 4.1 mixes up longer ones
  const int to = nobody ? MPI_PROC_NULL : next_rank(step), from = nobody ? MPI_PROC_NULL : last_rank(step);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  fill(count, round);
  add_code(MPI_Recv_init(in, count, MPI_INT, from, round, world, &requests[0]));
  add_code(init_send(mode, count, to, round, &requests[1]));
  for (int i = 0; i < 3; ++i) {
    be_late();
    leave_untouched(statuses, 2);
    if (mode == kReady) {  // the receive must stand
      add_code(MPI_Start(&requests[0]));
      MPI_Barrier(world);
      add_code(MPI_Start(&requests[1]));
    } else if (way == 0) {
      add_code(MPI_Start(&requests[1]));
      add_code(MPI_Start(&requests[0]));
    } else {
      add_code(MPI_Startall(2, requests));
    }
    if (way == 2) {
      for (int left = 2; left > 0; --left) {
        int index = 0;
        add_code(MPI_Waitany(2, requests, &index, &statuses[1]));
        if (index == 0) statuses[0] = statuses[1];
      }
    } else {
      add_code(MPI_Waitall(2, requests, statuses));
    }
    if (!nobody) add_status_with_error(&statuses[0]);
    add_ints(in, count);
  }
  leave_untouched(statuses, 1);
  add_code(MPI_Wait(&requests[0], statuses));  // an inactive one
  add_status_with_error(statuses);
  for (int i = 0; i < 2; ++i) {
    add_code(MPI_Request_free(&requests[i]));
    add(requests[i] == MPI_REQUEST_NULL);
  }
}

// Some of many receives never get a message, and are cancelled before all are waited for.
void cancelled(int round) {
  enum { kMessages = 4 };
  const int count = draw(100), way = draw(4), which = draw(kMessages), again = draw(2);
  MPI_Request requests[kMessages], sent;
  MPI_Status statuses[kMessages];
  leave_untouched(statuses, kMessages);
  uint64_t all = 0;
  fill(kMessages * count, round);
  for (int i = 0; i < kMessages; ++i) {
    if (i == which && again) {
      MPI_Recv_init(in + i * count, count, MPI_INT, me, 4242, world, &requests[i]);
      MPI_Start(&requests[i]);
    } else {
      MPI_Irecv(in + i * count, count, MPI_INT, i == which ? me : last_rank(i), i == which ? 4242 : i, world,
                &requests[i]);
    }
  }
  MPI_Request persistent = requests[which];
  be_late();
  for (int i = 0; i < kMessages; ++i) {
    if (i == which) continue;
    MPI_Isend(out + i * count, count, MPI_INT, next_rank(i), i, world, &sent);
    add_code(MPI_Wait(&sent, MPI_STATUS_IGNORE));
  }
  add_code(MPI_Cancel(&requests[which]));
  if (way == 0) {
    add_code(MPI_Waitall(kMessages, requests, statuses));
    for (int i = 0; i < kMessages; ++i) all += told_with_error(&statuses[i]) ^ mixed((uint64_t)i);
  } else if (way == 1) {
    for (int i = kMessages - 1; i >= 0; --i) {
      leave_untouched(statuses, 1);
      add_code(MPI_Wait(&requests[i], statuses));
      add_status_with_error(statuses);
    }
  } else {
    for (int left = kMessages; left > 0;) {
      int indices[kMessages] = {0}, done = 1;
      leave_untouched(statuses, kMessages);
      const int code = way == 2 ? MPI_Waitany(kMessages, requests, indices, statuses)
                                : MPI_Waitsome(kMessages, requests, &done, indices, statuses);
      if (code != MPI_SUCCESS || done < 1 || indices[0] < 0) break;
      for (int i = 0; i < done; ++i) all += told_with_error(&statuses[i]) ^ mixed((uint64_t)indices[i]);
      left -= done;
    }
  }
  add(all);
  for (int i = 0; i < kMessages; ++i) add(requests[i] == MPI_REQUEST_NULL);
  if (again) MPI_Request_free(&persistent);
  add_ints(in, kMessages * count);
  MPI_Barrier(world);
}
