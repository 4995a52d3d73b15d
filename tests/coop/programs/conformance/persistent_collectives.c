// SPDX-License-Identifier: BSD-3-Clause
// Collectives that are made once and started again and again: by themselves or together, and waited for while inactive too.
#include "kinds.h"
#include "started.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

// MPICH 4.0 waits for ever for some that were started, by what its memory held before.
#if MPI_VERSION >= 4 && (!defined(MPICH_NUMVERSION) || MPICH_NUMVERSION >= 40100000)
#define MAKE(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define MAKE(name) MPIX_##name##_init
#endif

#ifdef MAKE
enum { kMade = 3, kNeighbours = 5, kSides = 2 };

static int make(const struct Started* s, MPI_Request* request) {
  const struct Blocks* const b = &s->blocks;
  const MPI_Datatype type = b->type;
  const MPI_Info info = MPI_INFO_NULL;
  const int count = s->count, root = s->root, own = b->counts[me], at_root = me == root;
  int* const to = s->to;
  const void* const mine = s->in_place ? MPI_IN_PLACE : (void*)out;
  const void* const from = at_root ? mine : out;
  void* const there = at_root && s->in_place ? MPI_IN_PLACE : (void*)to;
  switch (s->which) {
    case 0:
      return MAKE(Barrier)(world, info, request);
    case 1:
      return MAKE(Bcast)(to, count, type, root, world, info, request);
    case 2:
      return MAKE(Gather)(from, count, type, to, count, type, root, world, info, request);
    case 3:
      return MAKE(Gatherv)(from, own, type, to, b->counts, b->places, type, root, world, info, request);
    case 4:
      return MAKE(Scatter)(out, count, type, there, count, type, root, world, info, request);
    case 5:
      return MAKE(Scatterv)(out, b->counts, b->places, type, there, own, type, root, world, info, request);
    case 6:
      return MAKE(Allgather)(mine, count, type, to, count, type, world, info, request);
    case 7:
      return MAKE(Allgatherv)(mine, own, type, to, b->counts, b->places, type, world, info, request);
    case 8:
      return MAKE(Alltoall)(mine, count, type, to, count, type, world, info, request);
    case 9:
      return MAKE(Alltoallv)(mine, b->counts, b->places, type, to, b->counts, b->places, type, world, info, request);
    case 10:
      return MAKE(Alltoallw)(mine, b->counts, b->bytes, b->types, to, b->counts, b->bytes, b->types, world, info,
                             request);
    case 11:
      return MAKE(Reduce)(out, to, count, type, MPI_BXOR, root, world, info, request);
    case 12:
      return MAKE(Allreduce)(mine, to, count, type, MPI_MAX, world, info, request);
    case 13:
      return MAKE(Reduce_scatter)(mine, to, b->counts, type, MPI_BXOR, world, info, request);
    case 14:
      return MAKE(Reduce_scatter_block)(mine, to, count, type, MPI_MIN, world, info, request);
    case 15:
      return MAKE(Scan)(mine, to, count, type, MPI_BXOR, world, info, request);
    default:
      return MAKE(Exscan)(mine, to, count, type, MPI_BXOR, world, info, request);
  }
}

// MPICH 4.0 looks at memory that it has given back where an inactive one is waited for: it may wait for ever. And its MPI_Waitany and
// MPI_Waitsome take an inactive one for one that is over now.
#ifdef OPEN_MPI
enum { kKnowsInactive = 1 };
#else
enum { kKnowsInactive = 0 };
#endif
static int some_of(int started) { return kKnowsInactive ? kMade : started; }

static void wait_for_each(MPI_Request requests[], int started) {
  for (int i = some_of(started) - 1; i >= 0; --i) add_code(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
}
static void wait_for_all(MPI_Request requests[], int started) {
  MPI_Status statuses[kMade];
  add_code(MPI_Waitall(some_of(started), requests, statuses));
}
static void test_each(MPI_Request requests[], int started) {
  for (int i = 0; i < started; ++i) {
    for (int over = 0; !over;) {
      if (MPI_Test(&requests[i], &over, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    }
  }
}
#ifdef OPEN_MPI
static void wait_for_any(MPI_Request requests[], int started) {
  for (int i = 0; i < started; ++i) {
    int index = MPI_UNDEFINED;
    add_code(MPI_Waitany(kMade, requests, &index, MPI_STATUS_IGNORE));
    add(index != MPI_UNDEFINED);
  }
}
static void wait_for_some(MPI_Request requests[], int started) {
  for (int left = started, done = 0; left > 0; left -= done) {
    int indices[kMade];
    if (MPI_Waitsome(kMade, requests, &done, indices, MPI_STATUSES_IGNORE) != MPI_SUCCESS || done < 1) break;
  }
}
#else
static void wait_for_any(MPI_Request requests[], int started) { wait_for_all(requests, started); }
static void wait_for_some(MPI_Request requests[], int started) { wait_for_each(requests, started); }
#endif
static void (*const kWays[])(MPI_Request*, int) = {wait_for_each, wait_for_all, wait_for_any, wait_for_some, test_each};

// Nothing is started: all that there is to say is that it is over.
static void wait_for_inactive(MPI_Request* request) {
  if (!kKnowsInactive) return;
  MPI_Status status = untouched();
  int over = 0;
  add_code(MPI_Wait(request, &status));
  add_status_with_error(&status);
  add_code(MPI_Test(request, &over, MPI_STATUS_IGNORE));
  add((uint64_t)over);
  add(*request != MPI_REQUEST_NULL);
}

// All or the first ones of them, some of which stay inactive then.
static void start_some(MPI_Request requests[], int count, int together) {
  if (together) {
    add_code(MPI_Startall(count, requests));
  } else {
    for (int i = 0; i < count; ++i) add_code(MPI_Start(&requests[i]));
  }
}

static void of_the_world(int round) {
  const int ints = some_started_ints(), root = draw(size), way = draw(sizeof kWays / sizeof kWays[0]),
            together = draw(2);
  struct Started made[kMade];  // which outlive what was made of them
  MPI_Request requests[kMade];
  for (int i = 0; i < kMade; ++i) {
    made[i] = some_started(draw(kStartedKinds), ints, root, in + i * ints * size);
    add_code(make(&made[i], &requests[i]));
  }
  wait_for_inactive(&requests[0]);
  for (int time = 0; time < 3; ++time) {
    const int count = time == 1 ? 1 + draw(kMade) : kMade;
    fill(ints * size, round * 3 + time);
    for (int i = 0; i < count; ++i) fill_started(&made[i]);
    be_late();
    start_some(requests, count, together);
    be_late();
    kWays[way](requests, count);
    for (int i = 0; i < count; ++i) add_started(&made[i]);
  }
  wait_for_inactive(&requests[kMade - 1]);
  for (int i = 0; i < kMade; ++i) {
    add_code(MPI_Request_free(&requests[i]));
    add(requests[i] == MPI_REQUEST_NULL);
  }
}

static int make_exchange(int which, int count, const struct Blocks* b, MPI_Comm ring, MPI_Request* request) {
  static MPI_Aint bytes[kSides];
  const MPI_Datatype type = b->type;
  const MPI_Info info = MPI_INFO_NULL;
  for (int i = 0; i < kSides; ++i) bytes[i] = b->bytes[i];
  switch (which) {
    case 0:
      return MAKE(Neighbor_allgather)(out, count, type, in, count, type, ring, info, request);
    case 1:
      return MAKE(Neighbor_allgatherv)(out, count, type, in, b->counts, b->places, type, ring, info, request);
    case 2:
      return MAKE(Neighbor_alltoall)(out, count, type, in, count, type, ring, info, request);
    case 3:
      return MAKE(Neighbor_alltoallv)(out, b->counts, b->places, type, in, b->counts, b->places, type, ring, info,
                                      request);
    default:
      return MAKE(Neighbor_alltoallw)(out, b->counts, bytes, b->types, in, b->counts, bytes, b->types, ring, info,
                                      request);
  }
}

static void of_a_ring(int round) {
  const int ints = draw(200), which = draw(kNeighbours), round_about = 1;
  const struct Basic of = some_type();
  const int count = count_of(ints, of);
  static struct Blocks blocks;  // until it is freed
  MPI_Comm ring;
  MPI_Request request;
  blocks = blocks_of_all(kSides, count, of);
  MPI_Cart_create(world, 1, &size, &round_about, 0, &ring);
  add_code(make_exchange(which, count, &blocks, ring, &request));
  for (int time = 0; time < 2; ++time) {
    fill(kSides * ints, round * 2 + time);
    be_late();
    add_code(MPI_Start(&request));
    add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
    add_ints(in, kSides * ints);
  }
  wait_for_inactive(&request);
  add_code(MPI_Request_free(&request));
  MPI_Comm_free(&ring);
}

void persistent_collectives(int round) { (draw(4) == 0 ? of_a_ring : of_the_world)(round); }
#else
void persistent_collectives(int round) { nonblocking_collectives(round); }  // this MPI has none that work
#endif
