// SPDX-License-Identifier: BSD-3-Clause
// conformance SEED ROUNDS: communication drawn from the seed, alike on all ranks. What each rank got, its bytes, statuses and
// codes, goes into a sum; rank 0 prints the sums. They depend on nothing else, so whatever stands between the program
// and its MPI must leave them as they are.
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMost = 60000 };

static int me, size;
static uint64_t script, sum;
static MPI_Comm world;
static int out[4 * kMost], in[4 * kMost], spare[4 * kMost];

static uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// The next number of the script, the same on all ranks.
static int draw(int below) {
  script = mixed(script);
  return (int)(script % (uint64_t)below);
}

static void add(uint64_t word) { sum = mixed(sum ^ mixed(word)); }
static void add_bytes(const void* bytes, size_t count) {
  uint64_t all = 1469598103934665603U;
  for (size_t i = 0; i < count; ++i) all = (all ^ ((const unsigned char*)bytes)[i]) * 1099511628211U;
  add(all);
}
static void add_code(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  add((uint64_t) class);
}
static uint64_t told(const MPI_Status* status) {
  int count = 0, cancelled = 0;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Test_cancelled(status, &cancelled);
  if (cancelled) return 77;
  return mixed((uint64_t)status->MPI_SOURCE << 40 ^ (uint64_t)status->MPI_TAG << 20 ^ (uint64_t)count);
}
static void add_status(const MPI_Status* status) { add(told(status)); }

static void fill(int count, int round) {
  for (int i = 0; i < count; ++i) out[i] = (int)mixed((uint64_t)me << 32 ^ (uint64_t)round << 16 ^ (uint64_t)i);
  memset(in, 0x5A, sizeof in[0] * (size_t)count);
}

static int some_count(void) {
  static const int kCounts[] = {0, 1, 2, 17, 1000, 5000, 20000, kMost};
  return kCounts[draw(8)];
}

// Now and then a rank comes late, so that others sleep.
static void be_late(void) {
  const int who = draw(size), microseconds = draw(4) == 0 ? 500 + draw(3000) : 0;
  if (who == me && microseconds > 0) usleep((unsigned)microseconds);
}

static int next_rank(int step) { return (me + step) % size; }
static int last_rank(int step) { return (me + size - step % size) % size; }

static int start_send(int mode, int count, MPI_Datatype type, int to, int tag, MPI_Request* request) {
  if (mode == 0) return MPI_Isend(out, count, type, to, tag, world, request);
  if (mode == 1) return MPI_Issend(out, count, type, to, tag, world, request);
  return MPI_Ibsend(out, count, type, to, tag, world, request);
}

// The receive stands before the blocking send, so that any mode may be used, to oneself too.
static void blocking_sends(int round) {
  const int count = some_count(), step = draw(size), mode = draw(4), any = draw(2);
  MPI_Request request;
  MPI_Status status;
  fill(count, round);
  MPI_Irecv(in, count, MPI_INT, any ? MPI_ANY_SOURCE : last_rank(step), any ? MPI_ANY_TAG : round, world, &request);
  MPI_Barrier(world);
  be_late();
  int code = MPI_SUCCESS;
  if (mode == 0) code = MPI_Send(out, count, MPI_INT, next_rank(step), round, world);
  if (mode == 1) code = MPI_Ssend(out, count, MPI_INT, next_rank(step), round, world);
  if (mode == 2) code = MPI_Rsend(out, count, MPI_INT, next_rank(step), round, world);
  if (mode == 3) code = MPI_Bsend(out, count, MPI_INT, next_rank(step), round, world);
  add_code(code);
  add_code(MPI_Wait(&request, &status));
  add(request == MPI_REQUEST_NULL);
  add_status(&status);
  add_bytes(in, sizeof in[0] * (size_t)count);
  MPI_Barrier(world);  // whose messages anybody may take are of this round
}

static void blocking_receive(int round) {
  const int count = some_count(), step = draw(size), mode = draw(3), way = draw(4), any = draw(2), ignored = draw(2);
  const int from = any ? MPI_ANY_SOURCE : last_rank(step), tag = any ? MPI_ANY_TAG : round;
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  fill(count, round);
  be_late();
  add_code(start_send(mode, count, MPI_INT, next_rank(step), round, &request));
  be_late();
  memset(&status, 0, sizeof status);
  if (way == 1) {
    add_code(MPI_Probe(from, tag, world, &status));
    add_status(&status);
  }
  if (way >= 2) {
    add_code(MPI_Mprobe(from, tag, world, &message, &status));
    add_status(&status);
    if (way == 2) {
      add_code(MPI_Mrecv(in, count, MPI_INT, &message, &status));
    } else {
      MPI_Request receive;
      MPI_Imrecv(in, count, MPI_INT, &message, &receive);
      add_code(MPI_Wait(&receive, &status));
    }
    add_status(&status);
  } else {
    add_code(MPI_Recv(in, count, MPI_INT, from, tag, world, ignored ? MPI_STATUS_IGNORE : &status));
    if (!ignored) add_status(&status);
  }
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  add_bytes(in, sizeof in[0] * (size_t)count);
  MPI_Barrier(world);
}

static void exchanges(int round) {
  const int count = some_count(), step = draw(size), in_place = draw(2), ignored = draw(2);
  MPI_Status status;
  fill(count, round);
  be_late();
  if (in_place) {
    memcpy(in, out, sizeof in[0] * (size_t)count);
    add_code(MPI_Sendrecv_replace(in, count, MPI_INT, next_rank(step), round, last_rank(step), round, world,
                                  ignored ? MPI_STATUS_IGNORE : &status));
  } else {
    add_code(MPI_Sendrecv(out, count, MPI_INT, next_rank(step), round, in, count, MPI_INT, last_rank(step), round,
                          world, ignored ? MPI_STATUS_IGNORE : &status));
  }
  if (!ignored) add_status(&status);
  add_bytes(in, sizeof in[0] * (size_t)count);
}

// Columns of a matrix: every third number goes.
static void derived_types(int round) {
  const int count = 1 + draw(9000), step = draw(size), way = draw(2);
  MPI_Datatype column;
  MPI_Status status;
  MPI_Type_vector(count, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  fill(3 * count, round);
  if (way == 0) {
    add_code(
        MPI_Sendrecv(out, 1, column, next_rank(step), round, in, 1, column, last_rank(step), round, world, &status));
  } else {
    memcpy(in, out, sizeof in[0] * 3 * (size_t)count);
    add_code(MPI_Sendrecv_replace(in, 1, column, next_rank(step), round, last_rank(step), round, world, &status));
  }
  add_status(&status);
  add_bytes(in, sizeof in[0] * 3 * (size_t)count);
  MPI_Type_free(&column);
}

// The order in which they complete is anybody's, what they bring is not.
static void many_requests(int round) {
  enum { kMessages = 6 };
  const int count = draw(2000), way = draw(4), holes = draw(2);
  MPI_Request requests[2 * kMessages];
  MPI_Status statuses[2 * kMessages];
  int indices[2 * kMessages];
  uint64_t all = 0;
  MPI_Status* const ignored = MPI_STATUSES_IGNORE;
  fill(kMessages * count, round);
  for (int i = 0; i < kMessages; ++i) {
    MPI_Irecv(in + i * count, count, MPI_INT, last_rank(i), i, world, &requests[i]);
  }
  be_late();
  for (int i = 0; i < kMessages; ++i) {
    MPI_Isend(out + i * count, count, MPI_INT, next_rank(i), i, world, &requests[kMessages + i]);
  }
  if (holes) MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (way == 0) {
    add_code(MPI_Waitall(2 * kMessages, requests, statuses));
    for (int i = holes; i < kMessages; ++i) all += told(&statuses[i]) ^ mixed((uint64_t)i);
  } else if (way == 1) {
    add_code(MPI_Waitall(2 * kMessages, requests, ignored));
  } else if (way == 2) {
    for (;;) {
      int index = 0;
      add_code(MPI_Waitany(2 * kMessages, requests, &index, statuses));
      if (index == MPI_UNDEFINED) break;
      if (index < kMessages) all += told(statuses) ^ mixed((uint64_t)index);
    }
  } else {
    for (;;) {
      int done = 0;
      const int code = MPI_Waitsome(2 * kMessages, requests, &done, indices, statuses);
      if (code != MPI_SUCCESS) add_code(code);
      if (done == MPI_UNDEFINED) break;
      for (int i = 0; i < done; ++i) {
        if (indices[i] < kMessages) all += told(&statuses[i]) ^ mixed((uint64_t)indices[i]);
      }
    }
  }
  for (int i = 0; i < 2 * kMessages; ++i) add(requests[i] == MPI_REQUEST_NULL);
  add(all);
  add_bytes(in, sizeof in[0] * kMessages * (size_t)count);
}

static void persistent(int round) {
  const int count = some_count(), step = draw(size), one_by_one = draw(2);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  fill(count, round);
  MPI_Recv_init(in, count, MPI_INT, last_rank(step), round, world, &requests[0]);
  MPI_Send_init(out, count, MPI_INT, next_rank(step), round, world, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    be_late();
    if (one_by_one) {
      MPI_Start(&requests[1]);
      MPI_Start(&requests[0]);
    } else {
      MPI_Startall(2, requests);
    }
    add_code(MPI_Waitall(2, requests, statuses));
    add_status(&statuses[0]);
    add_bytes(in, sizeof in[0] * (size_t)count);
  }
  add_code(MPI_Wait(&requests[0], statuses));  // an inactive one
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void collectives(int round, MPI_Comm comm) {
  int ranks = 1, rank = 0, counts[64], places[64];
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  const int count = draw(3) == 0 ? 3000 : draw(50), root = draw(ranks), which = draw(16), in_place = draw(2);
  const int all = count * ranks;
  for (int i = 0; i < ranks; ++i) counts[i] = count, places[i] = i * count;
  fill(all, round);
  memcpy(in, out, sizeof in[0] * (size_t)all);
  void* const mine = in_place ? MPI_IN_PLACE : (void*)out;
  be_late();
  int code = MPI_SUCCESS;
  switch (which) {
    case 0:
      code = MPI_Barrier(comm);
      break;
    case 1:
      code = MPI_Bcast(in, count, MPI_INT, root, comm);
      break;
    case 2:
      code = MPI_Reduce(out, in, count, MPI_INT, MPI_BXOR, root, comm);  // MPICH 4.0 dies of some in place
      break;
    case 3:
      code = MPI_Allreduce(mine, in, count, MPI_INT, MPI_MAX, comm);
      break;
    case 4:
      code = MPI_Gather(rank == root ? mine : out, count, MPI_INT, in, count, MPI_INT, root, comm);
      break;
    case 5:
      code = MPI_Gatherv(out, count, MPI_INT, in, counts, places, MPI_INT, root, comm);
      break;
    case 6:
      code = MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, root, comm);
      break;
    case 7:
      code = MPI_Scatterv(out, counts, places, MPI_INT, in, count, MPI_INT, root, comm);
      break;
    case 8:
      code = MPI_Allgather(mine, count, MPI_INT, in, count, MPI_INT, comm);
      break;
    case 9:
      code = MPI_Allgatherv(mine, count, MPI_INT, in, counts, places, MPI_INT, comm);
      break;
    case 10:
      code = MPI_Alltoall(mine, count, MPI_INT, in, count, MPI_INT, comm);
      break;
    case 11:
      code = MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
      break;
    case 12:
      code = MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_BXOR, comm);
      break;
    case 13:
      code = MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_BOR, comm);
      break;
    case 14:
      code = MPI_Scan(out, in, count, MPI_INT, MPI_MIN, comm);
      break;
    default:
      memset(in, 0, sizeof in[0] * (size_t)all);  // of rank 0 it is undefined
      code = MPI_Exscan(out, rank == 0 ? spare : in, count, MPI_INT, MPI_BXOR, comm);
  }
  add_code(code);
  add_bytes(in, sizeof in[0] * (size_t)all);
}

static void nonblocking_collectives(int round) {
  MPI_Request requests[4];
  const int count = draw(2000), root = draw(size);
  fill(count, round);
  memcpy(spare, out, sizeof in[0] * (size_t)count);
  int number = me, largest = 0;
  be_late();
  MPI_Ibarrier(world, &requests[0]);
  MPI_Ibcast(spare, count, MPI_INT, root, world, &requests[1]);
  MPI_Iallreduce(out, in, count, MPI_INT, MPI_BXOR, world, &requests[2]);
  MPI_Iallreduce(&number, &largest, 1, MPI_INT, MPI_MAX, world, &requests[3]);
  be_late();
  if (draw(2)) {
    for (int i = 3; i >= 0; --i) add_code(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  } else {
    add_code(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
  }
  add((uint64_t)largest);
  add_bytes(spare, sizeof in[0] * (size_t)count);
  add_bytes(in, sizeof in[0] * (size_t)count);
}

static void communicators(int round) {
  MPI_Comm part, twin, late;
  MPI_Request request;
  const int colours = 1 + draw(3);
  MPI_Comm_split(world, me % colours, -me, &part);
  MPI_Comm_dup(part, &twin);
  MPI_Comm_idup(world, &late, &request);
  be_late();
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  // The numbers that are drawn inside are the same in all parts.
  collectives(round, draw(2) ? twin : late);
  const int periodic = 1;
  MPI_Comm line;
  int sides[2] = {me, me}, around[2] = {-1, -1};
  MPI_Cart_create(late, 1, &size, &periodic, 0, &line);
  add_code(MPI_Neighbor_alltoall(sides, 1, MPI_INT, around, 1, MPI_INT, line));
  add_bytes(around, sizeof around);
  MPI_Comm_free(&line);
  MPI_Comm_free(&late);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&part);
}

static void between_groups(int round) {
  if (size < 2) return;
  MPI_Comm half, both, merged;
  MPI_Status status;
  const int upper = me >= size / 2, leader = upper ? 0 : size / 2, count = draw(3000);
  int far = 0, rank = 0;
  MPI_Comm_split(world, upper, me, &half);
  MPI_Intercomm_create(half, 0, world, leader, round, &both);
  MPI_Comm_remote_size(both, &far);
  MPI_Comm_rank(half, &rank);
  fill(count, round);
  be_late();
  add_code(MPI_Barrier(both));
  add_code(MPI_Bcast(upper ? in : out, count, MPI_INT, upper ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), both));
  if (upper) add_bytes(in, sizeof in[0] * (size_t)count);
  if (rank == 0) {
    add_code(MPI_Sendrecv(out, count, MPI_INT, 0, round, in, count, MPI_INT, 0, round, both, &status));
    add_status(&status);
    add_bytes(in, sizeof in[0] * (size_t)count);
  }
  add((uint64_t)far);
  MPI_Intercomm_merge(both, upper, &merged);
  collectives(round, merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static int handled;
static void handle(MPI_Comm* comm, int* code, ...) {
  int class = 0;
  (void)comm;
  MPI_Error_class(*code, &class);
  handled += class;
}

static void errors(int round) {
  MPI_Comm twin;
  MPI_Errhandler handler;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  const int own = draw(2);
  MPI_Comm_dup(world, &twin);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(twin, own ? handler : MPI_ERRORS_RETURN);
  handled = 0;
  add_code(MPI_Send(out, 1, MPI_INT, size, 0, twin));
  add_code(MPI_Ssend(out, -1, MPI_INT, 0, 0, twin));
  add_code(MPI_Recv(in, 1, MPI_INT, size + 3, 0, twin, &status));
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

static void nobody(int round) {
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
  request = MPI_REQUEST_NULL;
  add_code(MPI_Wait(&request, &status));
  add_code(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  MPI_Irecv(in, 10, MPI_INT, me, 4242, world, &request);
  MPI_Cancel(&request);
  add_code(MPI_Wait(&request, &status));
  add_status(&status);
  add_bytes(in, sizeof in[0] * 10);
}

// A rank hands on what it got: each waits for all those before it.
static void chain(int round) {
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
  add_bytes(in, sizeof in[0] * (size_t)count);
}

#if MPI_VERSION >= 4
static void large_counts(int round) {
  const MPI_Count count = some_count();
  const int step = draw(size), root = draw(size);
  MPI_Status status;
  MPI_Request request;
  fill((int)count, round);
  be_late();
  memcpy(in, out, sizeof in[0] * (size_t)count);
  add_code(MPI_Bcast_c(in, count, MPI_INT, root, world));
  add_bytes(in, sizeof in[0] * (size_t)count);
  add_code(MPI_Allreduce_c(out, in, count, MPI_INT, MPI_BXOR, world));
  add_bytes(in, sizeof in[0] * (size_t)count);
  add_code(MPI_Sendrecv_replace_c(in, count, MPI_INT, next_rank(step), round, last_rank(step), round, world, &status));
  add_status(&status);
  MPI_Irecv_c(spare, count, MPI_INT, last_rank(step), round, world, &request);
  add_code(MPI_Bsend_c(out, count, MPI_INT, next_rank(step), round, world));
  add_code(MPI_Wait(&request, &status));
  add_status(&status);
  add_bytes(spare, sizeof in[0] * (size_t)count);
  MPI_Isendrecv(out, (int)count, MPI_INT, next_rank(step), round, in, (int)count, MPI_INT, last_rank(step), round,
                world, &request);
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  add_bytes(in, sizeof in[0] * (size_t)count);
}
#else
static void large_counts(int round) { exchanges(round); }  // this MPI has none
#endif

static void do_round(int round) {
  switch (draw(14)) {
    case 0:
      return blocking_sends(round);
    case 1:
      return blocking_receive(round);
    case 2:
      return exchanges(round);
    case 3:
      return derived_types(round);
    case 4:
      return many_requests(round);
    case 5:
      return persistent(round);
    case 6:
      return nonblocking_collectives(round);
    case 7:
      return communicators(round);
    case 8:
      return between_groups(round);
    case 9:
      return errors(round);
    case 10:
      return nobody(round);
    case 11:
      return chain(round);
    case 12:
      return large_counts(round);
    default:
      return collectives(round, world);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(world, &me);
  MPI_Comm_size(world, &size);
  script = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const int rounds = argc > 2 ? atoi(argv[2]) : 20;
  static char kept[8 << 20];
  MPI_Buffer_attach(kept, sizeof kept);
  uint64_t sums[64] = {0};
  for (int round = 0; round < rounds; ++round) do_round(round);
  MPI_Gather(&sum, 1, MPI_UINT64_T, sums, 1, MPI_UINT64_T, 0, world);
  for (int i = 0; me == 0 && i < size; ++i) printf("%d %016llx\n", i, (unsigned long long)sums[i]);
  void* address;
  int bytes;
  MPI_Buffer_detach(&address, &bytes);
  MPI_Comm_free(&world);
  MPI_Finalize();
  return 0;
}
