// SPDX-License-Identifier: BSD-3-Clause
// Blocking messages: every mode, probes, exchanges, wildcards whose answer is known, chains.
#include "kinds.h"

static int start_send(int mode, int count, MPI_Datatype type, int to, int tag, MPI_Request* request) {
  if (mode == 0) return MPI_Isend(out, count, type, to, tag, world, request);
  if (mode == 1) return MPI_Issend(out, count, type, to, tag, world, request);
  return MPI_Ibsend(out, count, type, to, tag, world, request);
}

// The receive stands before the blocking send, so that any mode may be used, to oneself too.
void blocking_sends(int round) {
  const struct Basic of = some_type();
  const int ints = some_count(), step = draw(size), mode = draw(5), any = draw(2), count = count_of(ints, of);
  MPI_Request request, ready = MPI_REQUEST_NULL;
  MPI_Status status = untouched();
  fill(ints, round);
  MPI_Irecv(in, count, of.type, any ? MPI_ANY_SOURCE : last_rank(step), any ? MPI_ANY_TAG : round, world, &request);
  MPI_Barrier(world);
  be_late();
  int code = MPI_SUCCESS;
  if (mode == 0) code = MPI_Send(out, count, of.type, next_rank(step), round, world);
  if (mode == 1) code = MPI_Ssend(out, count, of.type, next_rank(step), round, world);
  if (mode == 2) code = MPI_Rsend(out, count, of.type, next_rank(step), round, world);
  if (mode == 3) code = MPI_Bsend(out, count, of.type, next_rank(step), round, world);
  if (mode == 4) code = MPI_Irsend(out, count, of.type, next_rank(step), round, world, &ready);
  add_code(code);
  add_code(MPI_Wait(&ready, MPI_STATUS_IGNORE));
  add_code(MPI_Wait(&request, &status));
  add(request == MPI_REQUEST_NULL);
  add_status_with_error(&status);
  add_ints(in, ints);
  MPI_Barrier(world);  // whose messages anybody may take are of this round
}

void blocking_receive(int round) {
  const struct Basic of = some_type();
  const int ints = some_count(), step = draw(size), mode = draw(3), way = draw(6), any = draw(2), ignored = draw(2);
  const int count = count_of(ints, of);
  const int from = any ? MPI_ANY_SOURCE : last_rank(step), tag = any ? MPI_ANY_TAG : round;
  MPI_Request request;
  MPI_Status status = untouched();
  MPI_Message message;
  fill(ints, round);
  be_late();
  add_code(start_send(mode, count, of.type, next_rank(step), round, &request));
  be_late();
  if (way == 1) {
    add_code(MPI_Probe(from, tag, world, &status));
    add_status_with_error(&status);
  }
  if (way == 4) {
    for (int is_there = 0; !is_there;) add_failure(MPI_Iprobe(from, tag, world, &is_there, &status));
    add_status_with_error(&status);
  }
  if (way == 2 || way == 3 || way == 5) {
    if (way == 5) {
      for (int is_there = 0; !is_there;) add_failure(MPI_Improbe(from, tag, world, &is_there, &message, &status));
    } else {
      add_code(MPI_Mprobe(from, tag, world, &message, &status));
    }
    add_status_with_error(&status);
    status = untouched();
    if (way != 3) {
      add_code(MPI_Mrecv(in, count, of.type, &message, &status));
    } else {
      MPI_Request receive;
      MPI_Imrecv(in, count, of.type, &message, &receive);
      add_code(MPI_Wait(&receive, &status));
    }
    add_status_with_error(&status);
  } else {
    add_code(MPI_Recv(in, count, of.type, from, tag, world, ignored ? MPI_STATUS_IGNORE : &status));
    if (!ignored) add_status_with_error(&status);
  }
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  add_ints(in, ints);
  MPI_Barrier(world);
}

void exchanges(int round) {
  const struct Basic of = some_type();
  const int ints = some_count(), step = draw(size), in_place = draw(2), ignored = draw(2), count = count_of(ints, of);
  MPI_Status status = untouched();
  fill(ints, round);
  be_late();
  if (in_place) {
    memcpy(in, out, sizeof in[0] * (size_t)ints);
    add_code(MPI_Sendrecv_replace(in, count, of.type, next_rank(step), round, last_rank(step), round, world,
                                  ignored ? MPI_STATUS_IGNORE : &status));
  } else {
    add_code(MPI_Sendrecv(out, count, of.type, next_rank(step), round, in, count, of.type, last_rank(step), round,
                          world, ignored ? MPI_STATUS_IGNORE : &status));
  }
  if (!ignored) add_status_with_error(&status);
  add_ints(in, ints);
}

// A rank hands on what it got: each waits for all those before it.
void chain(int round) {
  const int count = some_count(), synchronous = draw(2);
  fill(count, round);
  if (me > 0) MPI_Recv(in, count, MPI_INT, me - 1, round, world, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) in[i] ^= out[i];
  if (me + 1 < size) {
    if (synchronous) {
      MPI_Ssend(in, count, MPI_INT, me + 1, round, world);
    } else {
      MPI_Send(in, count, MPI_INT, me + 1, round, world);
    }
  }
  add_ints(in, count);
}

// Messages that only their order tells apart, got in that order.
void same_envelope(int round) {
  enum { kMessages = 5 };
  const int count = draw(300), step = draw(size), way = draw(3);
  MPI_Request requests[kMessages], receive;
  MPI_Status status = untouched();
  fill(kMessages * count, round);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Isend(out + i * count, count - (count > i ? i : 0), MPI_INT, next_rank(step), round, world, &requests[i]);
  }
  be_late();
  for (int i = 0; i < kMessages; ++i) {
    if (way == 0 || (way == 2 && i % 2 == 0)) {
      status = untouched();
      add_code(MPI_Recv(in + i * count, count, MPI_INT, last_rank(step), round, world, &status));
    } else {
      MPI_Irecv(in + i * count, count, MPI_INT, last_rank(step), round, world, &receive);
      add_code(MPI_Wait(&receive, &status));
    }
    add_status_with_error(&status);
  }
  add_code(MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE));
  add_ints(in, kMessages * count);
}
