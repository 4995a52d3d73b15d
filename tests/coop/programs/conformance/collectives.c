// SPDX-License-Identifier: BSD-3-Clause
// Collectives, blocking and not, in place too.
#include "kinds.h"
#include "started.h"

#include <time.h>

// The order of its operands shows.
static void compose(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)right)[i] = (int)(3U * ((unsigned*)left)[i] + 7U * ((unsigned*)right)[i]);
}

static int move(int which, int count, int root, const void* mine, const struct Blocks* b, MPI_Comm comm, int rank) {
  const int at_root = rank == root, own = b->counts[rank];
  const void* const from = at_root ? mine : out;  // where only the root may be in place
  void* const to = at_root && mine == MPI_IN_PLACE ? MPI_IN_PLACE : (void*)in;
  const MPI_Datatype type = b->type;
  switch (which) {
    case 0:
      return MPI_Barrier(comm);
    case 1:
      return MPI_Bcast(in, count, type, root, comm);
    case 2:
      return MPI_Gather(from, count, type, in, count, type, root, comm);
    case 3:
      return MPI_Gatherv(from, own, type, in, b->counts, b->places, type, root, comm);
    case 4:
      return MPI_Scatter(out, count, type, to, count, type, root, comm);
    case 5:
      return MPI_Scatterv(out, b->counts, b->places, type, to, own, type, root, comm);
    case 6:
      return MPI_Allgather(mine, count, type, in, count, type, comm);
    case 7:
      return MPI_Allgatherv(mine, own, type, in, b->counts, b->places, type, comm);
    case 8:
      return MPI_Alltoall(mine, count, type, in, count, type, comm);
    case 9:
      return MPI_Alltoallv(mine, b->counts, b->places, type, in, b->counts, b->places, type, comm);
    default:
      return MPI_Alltoallw(mine, b->counts, b->bytes, b->types, in, b->counts, b->bytes, b->types, comm);
  }
}

// MPICH 4.0 dies of some reductions in place to one rank.
static int reduce(int which, int count, int root, const void* mine, const struct Blocks* b, MPI_Comm comm, MPI_Op op) {
  switch (which) {
    case 0:
      return MPI_Reduce(out, in, count, b->type, op, root, comm);
    case 1:
      return MPI_Allreduce(mine, in, count, b->type, op, comm);
    case 2:
      return MPI_Reduce_scatter(mine, in, b->counts, b->type, op, comm);
    case 3:
      return MPI_Reduce_scatter_block(mine, in, count, b->type, op, comm);
    case 4:
      return MPI_Scan(mine, in, count, b->type, op, comm);
    default:
      return MPI_Exscan(mine, in, count, b->type, op, comm);
  }
}

void collectives(int round, MPI_Comm comm) {
  enum { kBroadcast = 1, kMoves = 11, kAllToAllV = 9, kReductions = 6, kExscan = kMoves + kReductions - 1 };
  static const MPI_Op kOps[] = {MPI_BXOR, MPI_MAX, MPI_MIN, MPI_BOR};
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  const int ints = draw(3) == 0 ? 3000 : draw(50), root = draw(ranks), which = draw(kMoves + kReductions);
  const int in_place = draw(2), which_op = draw(5);
  const struct Basic basic = which < kMoves ? some_type() : some_integer(), numbers = {MPI_INT, sizeof(int)};
  const struct Basic of = which_op == 4 && which >= kMoves ? numbers : basic;
  const int count = count_of(ints, of), all = ints * ranks;
  const int of_pairs = which == kAllToAllV || which == kAllToAllV + 1;
  const struct Blocks blocks = of_pairs ? blocks_of_pairs(ranks, rank, count, of) : blocks_of_ranks(ranks, count, of);
  const void* const mine = in_place ? MPI_IN_PLACE : (void*)out;
  fill(all, round);
  if (in_place || which == kBroadcast) memcpy(in, out, sizeof in[0] * (size_t)all);
  MPI_Op op = kOps[which_op % 4];
  if (which_op == 4) MPI_Op_create(compose, 0, &op);
  be_late();
  add_code(which < kMoves ? move(which, count, root, mine, &blocks, comm, rank)
                          : reduce(which - kMoves, count, root, mine, &blocks, comm, op));
  if (which_op == 4) MPI_Op_free(&op);
  if (which == kExscan && rank == 0) return;  // what it gets is undefined
  const int own = which == kMoves + 2 ? blocks.counts[rank] : count;
  add_ints(in, defined_ints(which == kMoves + 2 || which == kMoves + 3, count, own, all, of));
}

void collectives_of_all(int round) { collectives(round, world); }

// Nobody leaves a barrier before all have come, by the clock of the node.
void arrivals(int round) {
  const int late = draw(size), times = 1 + draw(4), starts = draw(2);
  (void)round;
  for (int time = 0; time < times; ++time) {
    struct timespec came, left;
    int64_t came_ns, last_ns = 0;
    if (me == late) usleep(200);
    clock_gettime(CLOCK_MONOTONIC, &came);
    if (starts) {
      MPI_Request request;
      add_code(MPI_Ibarrier(world, &request));
      add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
      add_code(MPI_Barrier(world));
    }
    clock_gettime(CLOCK_MONOTONIC, &left);
    came_ns = (int64_t)came.tv_sec * 1000000000 + came.tv_nsec;
    MPI_Allreduce(&came_ns, &last_ns, 1, MPI_INT64_T, MPI_MAX, world);
    add((int64_t)left.tv_sec * 1000000000 + left.tv_nsec >= last_ns);
  }
}

static int start(const struct Started* s, MPI_Request* request) {
  const struct Blocks* const b = &s->blocks;
  const MPI_Datatype type = b->type;
  const int count = s->count, root = s->root, own = b->counts[me], at_root = me == root;
  int* const to = s->to;
  const void* const mine = s->in_place ? MPI_IN_PLACE : (void*)out;
  const void* const from = at_root ? mine : out;
  void* const there = at_root && s->in_place ? MPI_IN_PLACE : (void*)to;
  switch (s->which) {
    case 0:
      return MPI_Ibarrier(world, request);
    case 1:
      return MPI_Ibcast(to, count, type, root, world, request);
    case 2:
      return MPI_Igather(from, count, type, to, count, type, root, world, request);
    case 3:
      return MPI_Igatherv(from, own, type, to, b->counts, b->places, type, root, world, request);
    case 4:
      return MPI_Iscatter(out, count, type, there, count, type, root, world, request);
    case 5:
      return MPI_Iscatterv(out, b->counts, b->places, type, there, own, type, root, world, request);
    case 6:
      return MPI_Iallgather(mine, count, type, to, count, type, world, request);
    case 7:
      return MPI_Iallgatherv(mine, own, type, to, b->counts, b->places, type, world, request);
    case 8:
      return MPI_Ialltoall(mine, count, type, to, count, type, world, request);
    case 9:
      return MPI_Ialltoallv(mine, b->counts, b->places, type, to, b->counts, b->places, type, world, request);
    case 10:
      return MPI_Ialltoallw(mine, b->counts, b->bytes, b->types, to, b->counts, b->bytes, b->types, world, request);
    case 11:
      return MPI_Ireduce(out, to, count, type, MPI_BXOR, root, world, request);
    case 12:
      return MPI_Iallreduce(mine, to, count, type, MPI_MAX, world, request);
    case 13:
      return MPI_Ireduce_scatter(mine, to, b->counts, type, MPI_BXOR, world, request);
    case 14:
      return MPI_Ireduce_scatter_block(mine, to, count, type, MPI_MIN, world, request);
    case 15:
      return MPI_Iscan(mine, to, count, type, MPI_BXOR, world, request);
    default:
      return MPI_Iexscan(mine, to, count, type, MPI_BXOR, world, request);
  }
}

void nonblocking_collectives(int round) {
  enum { kStarted = 6 };
  MPI_Request requests[kStarted];
  struct Started started[kStarted];
  const int ints = some_started_ints(), root = draw(size), one_by_one = draw(2), all = ints * size;
  fill(all, round);
  be_late();
  for (int i = 0; i < kStarted; ++i) {
    started[i] = some_started(draw(kStartedKinds), ints, root, in + i * all);
    fill_started(&started[i]);
    add_code(start(&started[i], &requests[i]));
  }
  be_late();
  if (one_by_one) {
    for (int i = kStarted - 1; i >= 0; --i) add_code(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  } else {
    MPI_Status statuses[kStarted];
    add_code(MPI_Waitall(kStarted, requests, statuses));
  }
  for (int i = 0; i < kStarted; ++i) add_started(&started[i]);
}

static int exchange(int which, int count, int sides, const struct Blocks* b, const struct Blocks* from,
                    MPI_Comm graph) {
  MPI_Aint bytes[kRanks], bytes_from[kRanks];
  const MPI_Datatype type = b->type;
  for (int i = 0; i < sides; ++i) bytes[i] = b->bytes[i], bytes_from[i] = from->bytes[i];
  switch (which) {
    case 0:
      return MPI_Neighbor_allgather(out, count, type, in, count, type, graph);
    case 1:
      return MPI_Neighbor_allgatherv(out, count, type, in, b->counts, b->places, type, graph);
    case 2:
      return MPI_Neighbor_alltoall(out, count, type, in, count, type, graph);
    case 3:
      return MPI_Neighbor_alltoallv(out, b->counts, b->places, type, in, from->counts, from->places, type, graph);
    default:
      return MPI_Neighbor_alltoallw(out, b->counts, bytes, b->types, in, from->counts, bytes_from, from->types, graph);
  }
}

static int start_exchange(int which, int count, int sides, const struct Blocks* b, const struct Blocks* from,
                          MPI_Comm graph, MPI_Request* request) {
  static MPI_Aint bytes[kRanks], bytes_from[kRanks];  // until it is over
  const MPI_Datatype type = b->type;
  for (int i = 0; i < sides; ++i) bytes[i] = b->bytes[i], bytes_from[i] = from->bytes[i];
  switch (which) {
    case 0:
      return MPI_Ineighbor_allgather(out, count, type, in, count, type, graph, request);
    case 1:
      return MPI_Ineighbor_allgatherv(out, count, type, in, b->counts, b->places, type, graph, request);
    case 2:
      return MPI_Ineighbor_alltoall(out, count, type, in, count, type, graph, request);
    case 3:
      return MPI_Ineighbor_alltoallv(out, b->counts, b->places, type, in, from->counts, from->places, type, graph,
                                     request);
    default:
      return MPI_Ineighbor_alltoallw(out, b->counts, bytes, b->types, in, from->counts, bytes_from, from->types, graph,
                                     request);
  }
}

struct Sides {
  MPI_Comm graph;
  int how;  // a ring, a grid with ends, a graph
};

static void exchange_once(const struct Sides* sides, int round) {
  const int ints = draw(200), starts = draw(2), which = draw(5), count_of_sides = 2;
  // In a small ring both neighbours are the same rank, and which of its blocks comes first each MPI decides.
  const int has_own_counts = which >= 3 && !(sides->how == 0 && size <= 2);
  const struct Basic of = some_type();
  const int count = count_of(ints, of);
  // What goes to the first side comes from there as the second one in a grid, and as the first one in the graph.
  const struct Blocks sent =
      has_own_counts ? blocks_of_ranks(count_of_sides, count, of) : blocks_of_all(count_of_sides, count, of);
  const struct Blocks got = sides->how < 2 ? turned_around(&sent) : sent;
  fill(count_of_sides * ints, round);
  be_late();
  if (starts) {
    MPI_Request request;
    add_code(start_exchange(which, count, count_of_sides, &sent, &got, sides->graph, &request));
    add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    add_code(exchange(which, count, count_of_sides, &sent, &got, sides->graph));
  }
  add_ints(in, count_of_sides * ints);
}

// A grid with or without an end, or a graph in which each rank hands on to the next ones.
void neighbours(int round) {
  enum { kTimes = 3 };
  const int how = draw(3), step = draw(size), periodic = how == 0;
  const int to[2] = {next_rank(1), next_rank(step)}, from[2] = {last_rank(1), last_rank(step)};
  struct Sides sides = {.how = how};
  if (how < 2) {
    MPI_Cart_create(world, 1, &size, &periodic, 0, &sides.graph);
  } else {
    MPI_Dist_graph_create_adjacent(world, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &sides.graph);
  }
  for (int time = 0; time < kTimes; ++time) exchange_once(&sides, kTimes * round + time);
  MPI_Comm_free(&sides.graph);
}
