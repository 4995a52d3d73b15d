// SPDX-License-Identifier: BSD-3-Clause
// What goes wrong, and what goes to nobody.
#include "kinds.h"

#include <stdlib.h>

static int handled;
static void handle(MPI_Comm* comm, int* code, ...) {
  int class = 0;
  (void)comm;
  MPI_Error_class(*code, &class);
  handled += class;
}

// What the library refuses on one rank alone, which goes on: nobody else is in that call. MPICH 4.0 takes a negative count of a sum.
static void be_refused(MPI_Comm comm) {
  static int counts[64], displacements[64];
  add_code(MPI_Allreduce(out, in, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
  add_code(MPI_Allreduce(out, in, 1, MPI_INT, MPI_OP_NULL, comm));
  add_code(MPI_Allgather(out, 1, MPI_INT, in, -1, MPI_INT, comm));
  add_code(MPI_Alltoall(out, 1, MPI_INT, in, -1, MPI_INT, comm));
  add_code(MPI_Allreduce(out, in, 1, MPI_FLOAT, MPI_BAND, comm));
  add_code(MPI_Bcast(in, 1, MPI_INT, size, comm));
  add_code(MPI_Bcast(in, -1, MPI_INT, 0, comm));
  add_code(MPI_Gather(out, -1, MPI_INT, in, -1, MPI_INT, me, comm));
  add_code(MPI_Gatherv(out, -1, MPI_INT, in, counts, displacements, MPI_INT, me, comm));
  add_code(MPI_Scatter(out, 1, MPI_INT, in, -1, MPI_INT, last_rank(1), comm));
  add_code(MPI_Scatterv(out, counts, displacements, MPI_INT, in, -1, MPI_INT, last_rank(1), comm));
  add_code(MPI_Reduce(out, in, 1, MPI_INT, MPI_OP_NULL, 0, comm));
  add_code(MPI_Scan(out, in, 1, MPI_FLOAT, MPI_BAND, comm));
  add_code(MPI_Exscan(out, in, 1, MPI_INT, MPI_OP_NULL, comm));
  add_code(MPI_Reduce_scatter_block(out, in, 1, MPI_FLOAT, MPI_BAND, comm));
  add_code(MPI_Reduce_scatter(out, in, counts, MPI_FLOAT, MPI_BAND, comm));
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  add_code(MPI_Allgather(out, 1, uncommitted, in, 1, uncommitted, comm));
  add_code(MPI_Bcast(in, 1, uncommitted, 0, comm));
  MPI_Type_free(&uncommitted);
}

// Where collectives are started, and match by how many each rank has started, one that a rank alone is refused ends all matching.
static int match_by_count(void) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
#ifdef OPEN_MPI
  return 0;
#else
  return level == MPI_THREAD_MULTIPLE || getenv("UNASKED") != NULL;  // where MPICH calls nobody from its waits
#endif
}

// What one rank alone is refused, and the others have done without it. What they have sent is fetched in the end.
static void be_left_out(int refused, MPI_Comm comm) {
  const int is_refused = me == refused, count = is_refused ? -1 : 1;
  MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, refused, comm);
  MPI_Reduce(out, in, 1, is_refused ? MPI_DATATYPE_NULL : MPI_INT, MPI_SUM, refused, comm);
  MPI_Barrier(comm);
  if (!is_refused) return;
  MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, refused, comm);
  MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, refused, comm);
}

void errors(int round) {
  MPI_Comm twin;
  MPI_Errhandler handler;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  const int own = draw(2), refused = draw(size);
  MPI_Comm_dup(world, &twin);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(twin, own ? handler : MPI_ERRORS_RETURN);
  handled = 0;
  if (draw(2)) MPI_Barrier(twin);
  if (me == refused) be_refused(twin);
  if (size > 1 && !match_by_count()) be_left_out(refused, twin);
  MPI_Allreduce(&me, in, 1, MPI_INT, MPI_SUM, twin);
  add_ints(in, 1);
  add_code(MPI_Send(out, 1, MPI_INT, size, 0, twin));
  add_code(MPI_Ssend(out, -1, MPI_INT, 0, 0, twin));
  add_code(MPI_Recv(in, 1, MPI_INT, size + 3, 0, twin, &status));
  // Nobody sends these: what is refused is refused before anything has come.
  add_code(MPI_Recv(in, -1, MPI_INT, last_rank(1), 9, twin, &status));
  add_code(MPI_Recv(in, 1, MPI_DATATYPE_NULL, last_rank(1), 9, twin, &status));
  add_code(MPI_Recv(NULL, 1, MPI_INT, last_rank(1), 9, twin, &status));
  add_code(MPI_Sendrecv(out, 1, MPI_INT, next_rank(1), 9, in, -1, MPI_INT, last_rank(1), 9, twin, &status));
  add_code(MPI_Sendrecv(out, 1, MPI_INT, size, 0, in, 1, MPI_INT, me, 0, twin, &status));
  add_code(MPI_Sendrecv_replace(in, 1, MPI_INT, size, 0, me, 0, twin, &status));
  add_code(MPI_Probe(size, 0, twin, &status));
  add_code(MPI_Bcast(in, 1, MPI_INT, size, twin));
  // More comes than there is room for.
  fill(10, round);
  MPI_Isend(out, 10, MPI_INT, next_rank(1), 5, twin, &request);
  add_code(MPI_Recv(in, 4, MPI_INT, last_rank(1), 5, twin, &status));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(twin);
  add((uint64_t)handled);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&twin);
}

enum { kSent = 10, kRoom = 4, kWays = 11, kFirstQuestion = 7 };

// The same by a question, until it is over.
static int ask(int way, MPI_Request* request, MPI_Status* status) {
  int code = MPI_SUCCESS, over = 0, index = 0, done = 0;
  while (code == MPI_SUCCESS && !over && *request != MPI_REQUEST_NULL) {
    if (way == kFirstQuestion) code = MPI_Test(request, &over, status);
    if (way == kFirstQuestion + 1) code = MPI_Testall(1, request, &over, status);
    if (way == kFirstQuestion + 2) code = MPI_Testany(1, request, &index, &over, status);
    if (way == kFirstQuestion + 3) code = MPI_Testsome(1, request, &done, &index, status);
    over |= done != 0;
  }
  return code;
}

static void get_too_much(int way, int from, int to, MPI_Comm comm) {
  MPI_Request sent = MPI_REQUEST_NULL, request;
  MPI_Message message;
  MPI_Status status;
  int index = 0, done = 0;
  memset(&status, 0, sizeof status);
  if (way < 4 || way >= kFirstQuestion) MPI_Irecv(in, kRoom, MPI_INT, from, way, comm, &request);
  be_late();
  if (way != 5) MPI_Isend(out, kSent, MPI_INT, to, way, comm, &sent);
  if (way == 0) add_code(MPI_Wait(&request, &status));
  if (way == 1) add_code(MPI_Waitall(1, &request, &status));
  if (way == 2) add_code(MPI_Waitany(1, &request, &index, &status));
  if (way == 3) add_code(MPI_Waitsome(1, &request, &done, &index, &status));
  if (way == 4) add_code(MPI_Recv(in, kRoom, MPI_INT, from, way, comm, &status));
  if (way == 5) add_code(MPI_Sendrecv(out, kSent, MPI_INT, to, way, in, kRoom, MPI_INT, from, way, comm, &status));
  if (way == 6) {
    add_code(MPI_Mprobe(from, way, comm, &message, &status));
    add_code(MPI_Mrecv(in, kRoom, MPI_INT, &message, &status));
  }
  if (way >= kFirstQuestion) add_code(ask(way, &request, &status));
  if (way == 1 || way == 3 || way == 8 || way == 10) add_code(status.MPI_ERROR);
  add((uint64_t)(status.MPI_SOURCE + 10) << 8U ^ (uint64_t)(status.MPI_TAG + 10));
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

// More comes than there is room for, in each call that gets a message. MPICH hands what a completion finds to the handler of
// MPI_COMM_WORLD.
void truncated(int round) {
  MPI_Comm twin;
  MPI_Errhandler handler;
  const int own = draw(2), step = draw(size);
  MPI_Comm_dup(world, &twin);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(twin, own ? handler : MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own ? handler : MPI_ERRORS_RETURN);
  handled = 0;
  fill(kSent, round);
  for (int way = 0; way < kWays; ++way) get_too_much(way, last_rank(step), next_rank(step), twin);
  MPI_Barrier(twin);
  add((uint64_t)handled);
  add_ints(in + kRoom, kSent - kRoom);  // nothing comes behind the room
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&twin);
}

void nobody(int round) {
  MPI_Status status;
  MPI_Request request;
  fill(10, round);
  add_code(MPI_Send(out, 10, MPI_INT, MPI_PROC_NULL, 0, world));
  add_code(MPI_Recv(in, 10, MPI_INT, MPI_PROC_NULL, 0, world, &status));
  add_status(&status);
  add_code(MPI_Probe(MPI_PROC_NULL, 0, world, &status));
  add_status(&status);
  add_code(MPI_Sendrecv(out, 3, MPI_INT, MPI_PROC_NULL, 0, in, 3, MPI_INT, MPI_PROC_NULL, 0, world, &status));
  add_status(&status);
  MPI_Message message;
  add_code(MPI_Mprobe(MPI_PROC_NULL, 0, world, &message, &status));
  add_status(&status);
  add_code(MPI_Mrecv(in, 3, MPI_INT, &message, &status));
  add_status(&status);
  // A line with two ends: one of the sides is nobody there.
  const int left = me == 0 ? MPI_PROC_NULL : me - 1, right = me == size - 1 ? MPI_PROC_NULL : me + 1;
  add_code(MPI_Sendrecv(out, 3, MPI_INT, right, 1, in, 3, MPI_INT, left, 1, world, &status));
  add_status(&status);
  add_code(MPI_Sendrecv_replace(in, 3, MPI_INT, left, 2, right, 2, world, &status));
  add_status(&status);
  MPI_Irecv(in, 3, MPI_INT, MPI_PROC_NULL, 0, world, &request);
  add_code(MPI_Wait(&request, &status));  // MPICH 4.0 leaves in this status what was there
  request = MPI_REQUEST_NULL;
  add_code(MPI_Wait(&request, &status));
  add_code(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  MPI_Irecv(in, 10, MPI_INT, me, 4242, world, &request);
  MPI_Cancel(&request);
  add_code(MPI_Wait(&request, &status));
  add_status(&status);
  add_ints(in, 10);
}
