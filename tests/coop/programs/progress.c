// SPDX-License-Identifier: BSD-3-Clause
// progress CASE...: communication that ends on any MPI, and would not if a rank that sleeps kept others from going on.
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"
#include "cases.h"

enum { kLong = 1 << 20, kLate_us = 20000 };  // 4 MiB: far beyond what any MPI sends at once

static int out[kLong], in[kLong];

static int processes[64];  // of each rank

// As long as it takes, where waits sleep.
static void let_sleep(int rank, int longest_us) { let_fall_asleep(processes[rank], longest_us); }

static int word_of(int rank, int i) { return rank * 1000003 + i; }
static void fill(int count) {
  for (int i = 0; i < count; ++i) out[i] = word_of(me, i);
  memset(in, 0, sizeof in[0] * (size_t)count);
}
static void expect_from(int rank, int count) {
  for (int i = 0; i < count; ++i) expect(in[i] == word_of(rank, i), "a message is not what was sent");
}

// Pairs swap long messages; both sides are asleep in turn, in every call that can wait for the other half.
static void rendezvous(void) {
  const int partner = me ^ 1;
  if (partner >= size) return;
  for (int way = 0; way < 6; ++way) {
    MPI_Request request;
    fill(kLong);
    if (((me ^ way) & 1) != 0) let_sleep(partner, kLate_us);
    const int first = (me & 1) == 0;
    if (way < 2) {  // one side is asleep in Send, then the other
      if (first) MPI_Send(out, kLong, MPI_INT, partner, way, MPI_COMM_WORLD);
      MPI_Recv(in, kLong, MPI_INT, partner, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (!first) MPI_Send(out, kLong, MPI_INT, partner, way, MPI_COMM_WORLD);
    } else if (way < 4) {
      MPI_Sendrecv(out, kLong, MPI_INT, partner, way, in, kLong, MPI_INT, partner, way, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else {  // a receive is under way while its rank waits for the end of its send
      MPI_Irecv(in, kLong, MPI_INT, partner, way, MPI_COMM_WORLD, &request);
      MPI_Ssend(out, kLong, MPI_INT, partner, way, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    expect_from(partner, kLong);
  }
}

// A message lies there that nobody asks for yet, while another one needs both its sides to go on: one of them is in front of a collective.
static void queued(void) {
  const int last = size - 1;
  if (size == 1) return;
  for (int way = 0; way < 4; ++way) {
    MPI_Request request = MPI_REQUEST_NULL;
    int is_there = 0, sum = 0;
    MPI_Comm twin;
    fill(kLong);
    if (me == last) MPI_Send(out, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    if (me == 0) {
      while (!is_there) MPI_Iprobe(last, 9, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
      MPI_Isend(out, kLong, MPI_INT, 1, way, MPI_COMM_WORLD, &request);
    }
    if (me == 1) {
      let_sleep(0, kLate_us);
      MPI_Recv(in, kLong, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect_from(0, kLong);
    }
    if (way < 2) MPI_Barrier(MPI_COMM_WORLD);
    if (way == 2) MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (way == 3) MPI_Comm_dup(MPI_COMM_WORLD, &twin), MPI_Comm_free(&twin);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 0) MPI_Recv(in, 1, MPI_INT, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// All send rank 0 something before they meet, which it takes behind that: the MPI keeps as much, but of some sizes only where it goes on.
static void queued_by_all(void) {
  enum { kTimes = 40, kMost = 1000 };  // 4 kB: what MPIs keep, less what goes before it
  for (int count = 2; count < kMost; count *= 8) {
    for (int time = 0; time < kTimes; ++time) {
      fill(count);
      if (me != 0) MPI_Send(out, count, MPI_INT, 0, count, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      for (int rank = 1; me == 0 && rank < size; ++rank) {
        MPI_Recv(in, count, MPI_INT, rank, count, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect_from(rank, count);
      }
    }
  }
}

// Where buffers are is told by their types alone. MPICH packs nothing from there.
static void at_bottom(void) {
  enum { kEach = 100, kTwice = 2 };
  const int counts[2] = {kEach, kEach};
  MPI_Aint places[2];
  MPI_Datatype apart, twice;
  MPI_Status status;
  MPI_Get_address(in + kEach, &places[0]);
  MPI_Get_address(in + 3 * kEach, &places[1]);
  MPI_Type_create_hindexed(2, counts, places, MPI_INT, &apart);
  MPI_Type_create_resized(apart, 0, 4 * kEach * (MPI_Aint)sizeof in[0], &twice);
  MPI_Type_commit(&twice);
  fill(8 * kEach);
  memcpy(in, out, 8 * kEach * sizeof in[0]);
  MPI_Sendrecv_replace(MPI_BOTTOM, kTwice, twice, after(1), 1, before(1), 1, MPI_COMM_WORLD, &status);
  for (int i = 0; i < 8 * kEach; ++i) {
    const int whose = i / kEach % 2 != 0 ? before(1) : me;
    expect(in[i] == word_of(whose, i), "what was exchanged is not where its type says");
  }
  fill(8 * kEach);
  MPI_Sendrecv(out, 4 * kEach, MPI_INT, after(1), 2, MPI_BOTTOM, kTwice, twice, before(1), 2, MPI_COMM_WORLD, &status);
  for (int i = 0; i < kEach; ++i)
    expect(in[kEach + i] == word_of(before(1), i), "a message is not where its type says");
  MPI_Type_free(&twice);
  MPI_Type_free(&apart);
}

// A token goes round a thousand times from rank to rank: each waits for the one before it.
static void chain(void) {
  enum { kHops = 1000, kEach = 100 };
  static int token[20000];
  for (int hop = 0; hop < kHops; ++hop) {
    const int count = hop % kEach == 0 ? (int)(sizeof token / sizeof token[0]) : 1;
    const int from = hop % size, to = (hop + 1) % size;
    if (size == 1) {
      ++token[0];
    } else if (me == from) {
      ++token[0];
      MPI_Send(token, count, MPI_INT, to, hop, MPI_COMM_WORLD);
    } else if (me == to) {
      MPI_Recv(token, count, MPI_INT, from, hop, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (me == kHops % size) expect(token[0] == kHops, "the token has lost hops");
}

static void self(void) {
  MPI_Request requests[2];
  MPI_Status status;
  static char kept[1 << 16];
  void* address;
  int bytes;
  for (int count = 1; count <= kLong; count *= 1024) {
    fill(count);
    MPI_Isend(out, count, MPI_INT, me, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, count, MPI_INT, me, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], &status);
    expect(status.MPI_SOURCE == me, "a message to oneself came from somebody else");
    expect_from(me, count);
    fill(count);
    MPI_Sendrecv(out, count, MPI_INT, me, 2, in, count, MPI_INT, me, 2, MPI_COMM_WORLD, &status);
    expect_from(me, count);
    MPI_Sendrecv_replace(in, count, MPI_INT, me, 3, me, 3, MPI_COMM_WORLD, &status);
    expect_from(me, count);
    fill(count);
    MPI_Irecv(in, count, MPI_INT, me, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend(out, count, MPI_INT, me, 4, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    expect_from(me, count);
  }
  MPI_Buffer_attach(kept, sizeof kept);
  fill(100);
  MPI_Bsend(out, 100, MPI_INT, me, 5, MPI_COMM_WORLD);
  MPI_Recv(in, 100, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  expect_from(me, 100);
  MPI_Buffer_detach(&address, &bytes);
}

// Loops of tests are the program's own: nothing sleeps in them, and others that do go on.
static void tests(void) {
  for (int count = 1; count <= kLong; count *= 1024) {
    MPI_Request requests[2];
    int over = 0;
    fill(count);
    MPI_Irecv(in, count, MPI_INT, before(1), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, count, MPI_INT, after(1), 1, MPI_COMM_WORLD, &requests[1]);
    if (me % 2 == 0) {
      while (!over) MPI_Testall(2, requests, &over, MPI_STATUSES_IGNORE);
    } else {
      for (int i = 0; i < 2; ++i) {
        for (over = 0; !over;) MPI_Test(&requests[i], &over, MPI_STATUS_IGNORE);
      }
    }
    expect_from(before(1), count);
    fill(count);
    if (me % 2 == 0) {  // found by a loop of probes, sent by one who sleeps
      MPI_Request sent;
      MPI_Isend(out, count, MPI_INT, after(1), 2, MPI_COMM_WORLD, &sent);
      for (over = 0; !over;) MPI_Iprobe(before(1), 2, MPI_COMM_WORLD, &over, MPI_STATUS_IGNORE);
      MPI_Recv(in, count, MPI_INT, before(1), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
    } else {
      MPI_Sendrecv(out, count, MPI_INT, after(1), 2, in, count, MPI_INT, before(1), 2, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
    expect_from(before(1), count);
  }
}

// Who sends goes into a collective at once; who is to get it sleeps in a probe, late or early.
static void probes(void) {
  for (int way = 0; way < 4; ++way) {
    const int count = way < 2 ? 10 : kLong, matched = way % 2;
    MPI_Status status;
    MPI_Message message;
    fill(count);
    const int is_late = me % 2 == (way % 3 == 0), partner = me ^ 1;
    if (is_late && partner < size) let_sleep(partner, kLate_us);
    if (me % 2 == 0 && me + 1 < size) {
      MPI_Request request;
      MPI_Isend(out, count, MPI_INT, me + 1, way, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (me % 2 == 1) {
      int found = 0;
      if (matched) {
        MPI_Mprobe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &message, &status);
      } else {
        MPI_Probe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &status);
      }
      MPI_Get_count(&status, MPI_INT, &found);
      expect(found == count && status.MPI_SOURCE == me - 1, "a probe tells of another message");
      if (matched) {
        MPI_Mrecv(in, count, MPI_INT, &message, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(in, count, MPI_INT, status.MPI_SOURCE, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      expect_from(me - 1, count);
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

// In a collective whose root needs nobody, or that needs nobody but its root, ranks run ahead of one that waits in front of it
// for a message which one of them sends behind it. Each way: who is late, and who sends.
enum { kAhead = 5 };
static void go_ahead(int late, int sender, int (*collective)(MPI_Comm comm), MPI_Comm comm, int tag) {
  int go = 0;
  if (size == 1) return;
  for (int time = 0; time < kAhead; ++time) {
    if (me == late) MPI_Recv(&go, 1, MPI_INT, sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    collective(comm);
    if (me == sender) MPI_Send(&time, 1, MPI_INT, late, tag, MPI_COMM_WORLD);
  }
}

enum { kFew = 3 };
static int counts[64], places[64], numbers[64 * kFew];
static void few_of_each(void) {
  for (int i = 0; i < size; ++i) counts[i] = kFew, places[i] = i * kFew;
  fill(kFew);
}
static int bcast(MPI_Comm comm) { return MPI_Bcast(numbers, kFew, MPI_INT, 0, comm); }
static int scatter(MPI_Comm comm) { return MPI_Scatter(numbers, kFew, MPI_INT, in, kFew, MPI_INT, 0, comm); }
static int scatterv(MPI_Comm comm) {
  return MPI_Scatterv(numbers, counts, places, MPI_INT, in, kFew, MPI_INT, 0, comm);
}
static int gather(MPI_Comm comm) { return MPI_Gather(out, kFew, MPI_INT, numbers, kFew, MPI_INT, 0, comm); }
static int gatherv(MPI_Comm comm) { return MPI_Gatherv(out, kFew, MPI_INT, numbers, counts, places, MPI_INT, 0, comm); }
static int reduce(MPI_Comm comm) { return MPI_Reduce(out, in, kFew, MPI_INT, MPI_SUM, 0, comm); }
#ifdef OPEN_MPI  // MPICH's ranks wait for one another there
static int nothing_for_all(MPI_Comm comm) { return MPI_Allreduce(out, in, 0, MPI_INT, MPI_SUM, comm); }
#else
static int nothing_for_all(MPI_Comm comm) { return MPI_Reduce(out, in, 0, MPI_INT, MPI_SUM, 0, comm); }
#endif
static MPI_Datatype empty_type(void) {
  MPI_Datatype empty;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  return empty;
}
// Elements without bytes: Open MPI's ranks wait for the root of a broadcast of them, MPICH's for one another.
static int empty_of_root(MPI_Comm comm) {
  MPI_Datatype empty = empty_type();
#ifdef OPEN_MPI
  const int code = MPI_Alltoall(out, 1, empty, numbers, 1, empty, comm);
#else
  const int code = MPI_Bcast(numbers, 1, empty, 0, comm);
#endif
  MPI_Type_free(&empty);
  return code;
}
// A grid without dimensions: rank 0 alone is in it.
static int grid_of_nothing(MPI_Comm comm) {
  MPI_Comm grid = MPI_COMM_NULL;
#ifdef OPEN_MPI  // its ranks wait for one another there
  const int code = MPI_SUCCESS;
  (void)comm;
#else
  const int none = 0, code = MPI_Cart_create(comm, 0, &none, &none, 0, &grid);
#endif
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
  return code;
}
static int nothing_of_root(MPI_Comm comm) { return MPI_Bcast(numbers, 0, MPI_INT, 0, comm); }

static int (*const kRootAhead[])(MPI_Comm) = {bcast, scatter, scatterv};
static int (*const kRootLate[])(MPI_Comm) = {gather, gatherv, reduce};
static int (*const kNothing[])(MPI_Comm) = {nothing_for_all, nothing_of_root, empty_of_root, grid_of_nothing};
enum { kNothings = sizeof kNothing / sizeof kNothing[0] };

static void run_ahead(MPI_Comm comm) {
  for (int i = 0; i < 3; ++i) go_ahead(size - 1, 0, kRootAhead[i], comm, i);
  for (int i = 0; i < 3; ++i) go_ahead(0, size - 1, kRootLate[i], comm, i);
  for (int i = 0; i < kNothings; ++i) {
    go_ahead(size - 1, 0, kNothing[i], comm, i);
    go_ahead(0, size - 1, kNothing[i], comm, i);
  }
}

// What one rank calls an element without bytes is no element for another: both have come to as many calls, and nobody leaves a barrier before all
// have come.
static double clock_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static void unlike(void) {
  MPI_Datatype empty = empty_type();
  for (int time = 0; time < 2 * size; ++time) {
    const int one = (me + time) % 2;
    const MPI_Datatype type = one ? empty : MPI_INT;
    double last_s = 0;
#ifdef OPEN_MPI  // MPICH goes on from a count of 0 at once, and waits for those that do
    MPI_Alltoall(out, one, type, numbers, one, type, MPI_COMM_WORLD);
#else
    (void)type;
#endif
    if (me == time % size) usleep(kLate_us / 4);
    const double came_s = clock_s();
    MPI_Barrier(MPI_COMM_WORLD);
    const double left_s = clock_s();
    MPI_Allreduce(&came_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    expect(left_s >= last_s, "a rank has left a barrier before all had come");
  }
  MPI_Type_free(&empty);
}

// On a communicator that has seen no collective too: none of these is the moment to bring its ranks together.
static void ahead(void) {
  MPI_Comm fresh;
  few_of_each();
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  run_ahead(MPI_COMM_WORLD);
  run_ahead(fresh);
  MPI_Barrier(fresh);
  run_ahead(fresh);
  MPI_Comm_free(&fresh);
}

// A rank needs its neighbours, and not those behind them.
static int from_neighbours(MPI_Comm comm) {
  return MPI_Neighbor_allgather(out, kFew, MPI_INT, numbers, kFew, MPI_INT, comm);
}
static void ahead_of_strangers(void) {
  const int round = 1;
  MPI_Comm ring;
  few_of_each();
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &round, 0, &ring);
  MPI_Barrier(ring);
  if (size >= 4) go_ahead(2, 0, from_neighbours, ring, 1);
  MPI_Comm_free(&ring);
}

// Rank 0 waits for requests of all the others, which come in the opposite order, some with long messages.
static void any_order(void) {
  enum { kEach = 1 << 15 };
  MPI_Request requests[64];
  int indices[64];
  for (int way = 0; way < 3; ++way) {
    fill(kEach);
    if (me != 0) {
      usleep((unsigned)((size - me) * 1000));
      MPI_Send(out, me % 2 == 0 ? kEach : 1, MPI_INT, 0, way, MPI_COMM_WORLD);
      MPI_Recv(in, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect_from(0, 1);
      continue;
    }
    const int others = size - 1;
    for (int i = 0; i < others; ++i) {
      MPI_Irecv(in + i * kEach, kEach, MPI_INT, i + 1, way, MPI_COMM_WORLD, &requests[i]);
    }
    for (int left = others; left > 0;) {
      int done = 1;
      if (way == 0) MPI_Waitany(others, requests, indices, MPI_STATUS_IGNORE);
      if (way == 1) MPI_Waitsome(others, requests, &done, indices, MPI_STATUSES_IGNORE);
      if (way == 2) {
        indices[0] = others - left;
        MPI_Wait(&requests[indices[0]], MPI_STATUS_IGNORE);
      }
      for (int i = 0; i < done; ++i) {
        const int who = indices[i] + 1;
        expect(in[indices[i] * kEach] == word_of(who, 0), "a request is told as done before it is");
        MPI_Send(out, 1, MPI_INT, who, way, MPI_COMM_WORLD);
      }
      left -= done;
    }
  }
}

// Rank 0 finishes a nonblocking collective by a wait, and only then sends what the others sleep for in a receive. They have
// begun theirs, and nothing but the MPI's progress in their waits takes it further.
static void nonblocking(void) {
  for (int way = 0; way < 3; ++way) {
    enum { kCount = 40000 };
    MPI_Request request;
    fill(kCount);
    if (me % 2 == 0 && me + 1 < size) let_sleep(me + 1, kLate_us);
    if (way == 0) MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (way == 1) MPI_Iallreduce(out, in, kCount, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    if (way == 2) MPI_Ibcast(me == 0 ? out : in, kCount, MPI_INT, 0, MPI_COMM_WORLD, &request);
    int go = 0;
    if (me == 0) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int rank = 1; rank < size; ++rank) MPI_Send(&rank, 1, MPI_INT, rank, way, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&go, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(go == me, "another word than that of rank 0 came");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (way == 1) expect_from(size - 1, kCount);
    if (way == 2 && me != 0) expect_from(0, kCount);
  }
}

static void persistent(void) {
  MPI_Request requests[4];
  for (int count = 1; count <= kLong; count *= 1024) {
    const int half = count == kLong ? kLong / 2 : count;
    MPI_Recv_init(in, half, MPI_INT, before(1), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend_init(out, half, MPI_INT, after(1), 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(in + half, count - half, MPI_INT, before(1), 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(out + half, count - half, MPI_INT, after(1), 2, MPI_COMM_WORLD, &requests[3]);
    for (int time = 0; time < 3; ++time) {
      fill(count);
      MPI_Barrier(MPI_COMM_WORLD);  // a message that comes now finds all filled
      if (me == time % size) usleep(kLate_us);
      if (time == 0) {
        MPI_Startall(4, requests);
      } else {
        for (int i = 3; i >= 0; --i) MPI_Start(&requests[i]);
      }
      for (int i = 0; i < 4; ++i) MPI_Wait(&requests[time == 2 ? 3 - i : i], MPI_STATUS_IGNORE);
      expect_from(before(1), count);
    }
    for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
  }
}

// MPICH 4.0 takes partitioned requests for failed ones where all of them are tested at once.
static void partitioned(void) {
#if MPI_VERSION >= 4
  enum { kParts = 8, kEach = 5000 };
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Psend_init(out, kParts, kEach, MPI_INT, after(1), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, kParts, kEach, MPI_INT, before(1), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int time = 0; time < 2; ++time) {
    fill(kParts * kEach);
    MPI_Startall(2, requests);
    for (int i = 0; i < kParts; ++i) {
      if (i == kParts / 2 && me % 2 == time) usleep(kLate_us);
      MPI_Pready((i + me) % kParts, requests[0]);
    }
    MPI_Waitall(2, requests, statuses);
    expect_from(before(1), kParts * kEach);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
#endif
}

// Rank 0 works on the memory of the others while they sleep, in a receive or in a barrier, or compute.
static void passive(void) {
  enum { kWords = 5000 };
  int* memory;
  MPI_Win window;
  if (size == 1) return;  // Open MPI 4.1 makes no window of one rank on some hosts
  MPI_Win_allocate(sizeof(int) * kWords, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, window);
  memset(memory, 0, sizeof(int) * kWords);
  MPI_Win_unlock(me, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) {
    const int one = 1;
    let_sleep(size - 1, kLate_us);
    fill(kWords);
    for (int rank = 1; rank < size; ++rank) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
      MPI_Put(out, kWords, MPI_INT, rank, 0, kWords, MPI_INT, window);
      MPI_Win_unlock(rank, window);
      MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
      MPI_Accumulate(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, window);
      MPI_Win_flush(rank, window);
      MPI_Get(in, kWords, MPI_INT, rank, 0, kWords, MPI_INT, window);
      MPI_Win_unlock(rank, window);
      expect(in[0] == out[0] + 1 && in[kWords - 1] == out[kWords - 1], "another rank's memory is not what was put");
      if (rank % 3 == 1) MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    int word = 0;
    if (me % 3 == 1) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me % 3 == 2) usleep(3 * kLate_us);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window);
    expect(memory[0] == word_of(0, 0) + 1 && memory[1] == word_of(0, 1), "nobody has put into my memory");
    MPI_Win_unlock(me, window);
  }
  MPI_Win_free(&window);
}

// The last rank dies while the others sleep, each kind of wait alone and all of them at once.
static void die_last(void) {
  if (me != size - 1) return;
  for (int rank = 0; rank < size - 1; ++rank) let_sleep(rank, 5 * kLate_us / size);
  kill(getpid(), SIGKILL);
}
static void killed_receive(void) {
  die_last();
  MPI_Recv(in, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void killed_barrier(void) {
  die_last();
  MPI_Barrier(MPI_COMM_WORLD);
}
static void killed_wait(void) {
  MPI_Request request;
  MPI_Irecv(in, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, &request);
  die_last();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void killed(void) {
  if (me % 3 == 0) killed_receive();
  if (me % 3 == 1) killed_wait();
  killed_barrier();
}

// Rank 0 kills the last rank, asleep in a receive, and where there are four or more the one before it, amid messages to itself, while
// the others sleep in a wait for rank 0. These go on among themselves, on a communicator that has seen no collective yet; each says so,
// and rank 0 how long that took [ms]. None comes to MPI_Finalize, which would wait for the dead.
static void work_until_killed(void) {
  if (me == size - 1) MPI_Recv(in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (;;) {
    MPI_Sendrecv(out, 1, MPI_INT, me, 9, in, 1, MPI_INT, me, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void kill_them(int survivors, int all) {
  for (int rank = survivors; rank < all; ++rank) {
    int victim = 0;
    MPI_Recv(&victim, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    let_sleep(rank, kLate_us);  // the last one; the one before it goes on
    kill(victim, SIGKILL);
  }
}

static void go_on_among_survivors(MPI_Comm few, int survivors) {
  const int next = (me + 1) % survivors, previous = (me + survivors - 1) % survivors;
  for (int time = 0; time < 3; ++time) {
    int sum = 0;
    fill(kLong / 4);
    if (me == time % survivors) usleep(kLate_us);
    MPI_Sendrecv(out, kLong / 4, MPI_INT, next, time, in, kLong / 4, MPI_INT, previous, time, few, MPI_STATUS_IGNORE);
    expect_from(previous, kLong / 4);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, few);
    expect(sum == survivors * (survivors - 1) / 2, "the sum of the survivors is wrong");
    MPI_Barrier(few);
  }
}

static void survivors(void) {
  const int alive = size >= 4 ? size - 2 : size - 1, mine = (int)getpid();
  MPI_Comm few;
  MPI_Comm_split(MPI_COMM_WORLD, me < alive, me, &few);
  // All connections are made: MPICH's launcher ends with a rank that it has to answer.
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  if (me >= alive) {
    MPI_Send(&mine, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    work_until_killed();
  }
  if (me == 0) kill_them(alive, size);
  const double dead_s = MPI_Wtime();
  for (int rank = 1; me == 0 && rank < alive; ++rank) MPI_Send(out, 1, MPI_INT, rank, 7, MPI_COMM_WORLD);
  if (me != 0) MPI_Recv(in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  go_on_among_survivors(few, alive);
  if (me == 0) printf("took %.0f\n", (MPI_Wtime() - dead_s) * 1e3);
  printf("rank %d went on\n", me);
  fflush(stdout);
  MPI_Barrier(few);
  usleep(5 * kLate_us);  // for whom its end has not reached yet
  _exit(0);
}

static MPI_Info hint(const char* how) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", how);
  return info;
}

static MPI_File open_file(const char* how) {
  char path[4096];
  MPI_File file;
  MPI_Info info = hint(how);
  snprintf(path, sizeof path, "%s/written", getenv("TMPDIR"));
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  expect(MPI_File_open(MPI_COMM_WORLD, path, mode, info, &file) == MPI_SUCCESS, "a file is not opened");
  MPI_Info_free(&info);
  return file;
}

// Each to its place, behind `from` ints of others.
static int write_mine(MPI_File file, int from) {
  MPI_Status status;
  int count = 0;
  const int code = MPI_File_write_at_all(file, (from + me) * (MPI_Offset)sizeof out[0], out, 1, MPI_INT, &status);
  if (code == MPI_SUCCESS) MPI_Get_count(&status, MPI_INT, &count);
  expect(code != MPI_SUCCESS || count == 1, "a write tells of another count");
  return code;
}

// Ranks that MPICH was told not to gather before a write are done in turn; each waits for the one before to be done.
static void files_apart(void) {
  MPI_File file = open_file("disable");
  if (me > 0) MPI_Recv(in, 1, MPI_INT, before(1), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  write_mine(file, 0);
  if (me + 1 < size) MPI_Send(out, 1, MPI_INT, after(1), 0, MPI_COMM_WORLD);
  MPI_Info info = hint("enable");  // from now on all wait for all
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", info);
  MPI_Info_free(&info);
  if (me == size - 1) usleep(kLate_us);
  expect(MPI_File_write_at_all(file, me, out, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS, "a write fails");
  MPI_File_close(&file);
}

// What the disk refuses all ranks are told, and what the library refuses one rank may mend alone.
static void files_refused(void) {
  enum { kPlace = 1 << 18 };
  struct rlimit most, none;
  MPI_File file = open_file("enable");
  fill(1);
  getrlimit(RLIMIT_FSIZE, &most);
  none = most;
  none.rlim_cur = 4096;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  expect(write_mine(file, kPlace) != MPI_SUCCESS, "nobody is told that the disk is full");
  MPI_Barrier(MPI_COMM_WORLD);
  setrlimit(RLIMIT_FSIZE, &most);
  if (me == 0) {
    expect(MPI_File_write_at_all(file, -1, out, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS, "there is a place -1");
    expect(MPI_File_write_at_all(file, 0, out, -1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS, "there is a count -1");
  }
  expect(write_mine(file, 0) == MPI_SUCCESS, "a write fails");
  MPI_File_close(&file);
}

// Rank 0 sends from inside MPI_Finalize, where what it has attached to MPI_COMM_SELF goes first; the others come there when they have got it.
static int awaits_the_end = 0;

static int send_to_all(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)value, (void)state;
  for (int rank = 1; rank < size; ++rank) MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

static void at_the_end(void) {
  int key;
  awaits_the_end = me > 0;
  if (me > 0) return;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, send_to_all, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

static void await_the_end(void) {
  int got = 0;
  if (!awaits_the_end) return;
  MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(got == me, "what came at the end is another rank's");
}

static const struct Case kCases[] = {{"rendezvous", rendezvous},
                                     {"chain", chain},
                                     {"self", self},
                                     {"queued", queued},
                                     {"queued_by_all", queued_by_all},
                                     {"at_bottom", at_bottom},
                                     {"tests", tests},
                                     {"probes", probes},
                                     {"ahead", ahead},
                                     {"ahead_of_strangers", ahead_of_strangers},
                                     {"unlike", unlike},
                                     {"any_order", any_order},
                                     {"nonblocking", nonblocking},
                                     {"persistent", persistent},
                                     {"partitioned", partitioned},
                                     {"passive", passive},
                                     {"files_apart", files_apart},
                                     {"files_refused", files_refused},
                                     {"at_the_end", at_the_end},
                                     {"killed_receive", killed_receive},
                                     {"killed_barrier", killed_barrier},
                                     {"killed_wait", killed_wait},
                                     {"killed", killed},
                                     {"survivors", survivors}};

int main(int argc, char** argv) {
  const int mine = (int)getpid();
  MPI_Init(&argc, &argv);
  MPI_Allgather(&mine, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
  run_cases(kCases, sizeof kCases / sizeof kCases[0], argc - 1, argv + 1);
  await_the_end();
  MPI_Finalize();
  return 0;
}
