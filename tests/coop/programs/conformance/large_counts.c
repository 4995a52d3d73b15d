// SPDX-License-Identifier: BSD-3-Clause
// Functions with large counts, and what else MPI 4 has.
#include "kinds.h"

#if MPI_VERSION >= 4
static int send_large(int mode, MPI_Count count, int to, int tag) {
  if (mode == 0) return MPI_Send_c(out, count, MPI_INT, to, tag, world);
  if (mode == 1) return MPI_Ssend_c(out, count, MPI_INT, to, tag, world);
  if (mode == 2) return MPI_Rsend_c(out, count, MPI_INT, to, tag, world);
  return MPI_Bsend_c(out, count, MPI_INT, to, tag, world);
}

static int start_large(int mode, MPI_Count count, int to, int tag, MPI_Request* request) {
  if (mode == 0) return MPI_Isend_c(out, count, MPI_INT, to, tag, world, request);
  if (mode == 1) return MPI_Issend_c(out, count, MPI_INT, to, tag, world, request);
  return MPI_Ibsend_c(out, count, MPI_INT, to, tag, world, request);
}

static void large_messages(int round) {
  const MPI_Count count = some_count();
  const int step = draw(size), way = draw(5), mode = draw(4), to = next_rank(step), from = last_rank(step);
  MPI_Status status = untouched();
  MPI_Message message;
  MPI_Request request;
  fill((int)count, round);
  be_late();
  if (way == 0) {
    MPI_Irecv_c(in, count, MPI_INT, from, round, world, &request);
    MPI_Barrier(world);
    add_code(send_large(mode, count, to, round));
    add_code(MPI_Wait(&request, &status));
  } else if (way <= 2) {
    add_code(start_large(mode % 3, count, to, round, &request));
    if (way == 1) {
      add_code(MPI_Recv_c(in, count, MPI_INT, from, round, world, &status));
    } else {
      add_code(MPI_Mprobe(from, round, world, &message, &status));
      add_code(MPI_Mrecv_c(in, count, MPI_INT, &message, &status));
    }
    add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else if (way == 3) {
    add_code(MPI_Sendrecv_c(out, count, MPI_INT, to, round, in, count, MPI_INT, from, round, world, &status));
  } else {
    memcpy(in, out, sizeof in[0] * (size_t)count);
    add_code(MPI_Sendrecv_replace_c(in, count, MPI_INT, to, round, from, round, world, &status));
  }
  add_status_with_error(&status);
  add_ints(in, (int)count);
}

static void exchanges_under_way(int round) {
  const int count = some_count(), step = draw(size), in_place = draw(2), to = next_rank(step), from = last_rank(step);
  MPI_Request request;
  fill(count, round);
  be_late();
  if (in_place) {
    memcpy(in, out, sizeof in[0] * (size_t)count);
    add_code(MPI_Isendrecv_replace(in, count, MPI_INT, to, round, from, round, world, &request));
  } else {
    add_code(MPI_Isendrecv(out, count, MPI_INT, to, round, in, count, MPI_INT, from, round, world, &request));
  }
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  add_ints(in, count);
}

static void large_collectives(int round) {
  const MPI_Count count = 1 + draw(1000);
  const int root = draw(size), which = draw(6), all = (int)count * size;
  fill(all, round);
  memcpy(in, out, sizeof in[0] * (size_t)all);
  be_late();
  if (which == 0) add_code(MPI_Bcast_c(in, count, MPI_INT, root, world));
  if (which == 1) add_code(MPI_Allreduce_c(out, in, count, MPI_INT, MPI_BXOR, world));
  if (which == 2) add_code(MPI_Reduce_c(out, in, count, MPI_INT, MPI_MAX, root, world));
  if (which == 3) add_code(MPI_Gather_c(out, count, MPI_INT, in, count, MPI_INT, root, world));
  if (which == 4) add_code(MPI_Allgather_c(out, count, MPI_INT, in, count, MPI_INT, world));
  if (which == 5) add_code(MPI_Alltoall_c(out, count, MPI_INT, in, count, MPI_INT, world));
  add_ints(in, all);
}

enum { kParts = 4, kApart_us = 20 };
static void make_ready(int way, int first, int last, MPI_Request request) {
  int list[2] = {last, first};
  if (way == 0 || first == last) {
    for (int part = first; part <= last; ++part) add_code(MPI_Pready(part, request));
  } else if (way == 1 || last - first > 1) {
    add_code(MPI_Pready_range(first, last, request));
  } else {
    add_code(MPI_Pready_list(2, list, request));
  }
}

// Each part is asked for until it is there, the last one first.
static void ask_for_parts(MPI_Request request) {
  for (int part = kParts - 1; part >= 0; --part) {
    for (int is_there = 0; !is_there;) {
      const int code = MPI_Parrived(request, part, &is_there);
      add_failure(code);
      if (code != MPI_SUCCESS) return;
      if (!is_there) usleep(kApart_us);
    }
  }
}

// A message in parts, which are ready in any order, and written just before.
static void partitioned(int round) {
  const int count = draw(1000), step = draw(size), first = draw(kParts), way = draw(3), asks = draw(2);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  fill(kParts * count, round);
  add_code(MPI_Psend_init(out, kParts, count, MPI_INT, next_rank(step), round, world, MPI_INFO_NULL, &requests[0]));
  add_code(MPI_Precv_init(in, kParts, count, MPI_INT, last_rank(step), round, world, MPI_INFO_NULL, &requests[1]));
  for (int time = 0; time < 2; ++time) {
    fill(kParts * count, 2 * round + time);
    memcpy(spare, out, sizeof out[0] * (size_t)(kParts * count));
    memset(out, 0x3C, sizeof out[0] * (size_t)(kParts * count));
    add_code(MPI_Startall(2, requests));
    be_late();
    for (int half = 0; half < 2; ++half) {  // from the first one on, then those before it
      const int from = half == 0 ? first : 0, to = half == 0 ? kParts : first;
      if (from == to) continue;
      memcpy(out + from * count, spare + from * count, sizeof out[0] * (size_t)((to - from) * count));
      make_ready(way, from, to - 1, requests[0]);
    }
    if (asks) ask_for_parts(requests[1]);
    if (asks) add_ints(in, kParts * count);
    add_code(MPI_Waitall(2, requests, statuses));
    add_ints(in, kParts * count);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void one_with_large_counts(int round) {
  switch (draw(4)) {
    case 0:
      return exchanges_under_way(round);
    case 1:
      return large_collectives(round);
    case 2:
      return partitioned(round);
    default:
      return large_messages(round);
  }
}

void large_counts(int round) {
  enum { kTimes = 3 };
  for (int time = 0; time < kTimes; ++time) one_with_large_counts(kTimes * round + time);
}
#else
void large_counts(int round) { exchanges(round); }  // this MPI has none
#endif
