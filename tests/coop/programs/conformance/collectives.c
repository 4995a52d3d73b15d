// SPDX-License-Identifier: BSD-3-Clause
// Collectives, blocking and not, in place too.
#include "kinds.h"

enum { kRanks = 64 };

// The order of its operands shows.
static void compose(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)right)[i] = (int)(3U * ((unsigned*)left)[i] + 7U * ((unsigned*)right)[i]);
}

// What each rank gives and gets of each other, for the forms with counts of their own.
struct Blocks {
  int counts[kRanks], places[kRanks], bytes[kRanks];
  MPI_Datatype types[kRanks];
};

static struct Blocks blocks_of(int ranks, int count) {
  struct Blocks blocks;
  for (int i = 0; i < ranks; ++i) {
    blocks.counts[i] = count;
    blocks.places[i] = i * count;
    blocks.bytes[i] = i * count * (int)sizeof(int);
    blocks.types[i] = MPI_INT;
  }
  return blocks;
}

static int move(int which, int count, int root, const void* mine, const struct Blocks* b, MPI_Comm comm, int rank) {
  const int at_root = rank == root;
  const void* const from = at_root ? mine : out;  // where only the root may be in place
  void* const to = at_root && mine == MPI_IN_PLACE ? MPI_IN_PLACE : (void*)in;
  switch (which) {
    case 0:
      return MPI_Barrier(comm);
    case 1:
      return MPI_Bcast(in, count, MPI_INT, root, comm);
    case 2:
      return MPI_Gather(from, count, MPI_INT, in, count, MPI_INT, root, comm);
    case 3:
      return MPI_Gatherv(from, count, MPI_INT, in, b->counts, b->places, MPI_INT, root, comm);
    case 4:
      return MPI_Scatter(out, count, MPI_INT, to, count, MPI_INT, root, comm);
    case 5:
      return MPI_Scatterv(out, b->counts, b->places, MPI_INT, to, count, MPI_INT, root, comm);
    case 6:
      return MPI_Allgather(mine, count, MPI_INT, in, count, MPI_INT, comm);
    case 7:
      return MPI_Allgatherv(mine, count, MPI_INT, in, b->counts, b->places, MPI_INT, comm);
    case 8:
      return MPI_Alltoall(mine, count, MPI_INT, in, count, MPI_INT, comm);
    case 9:
      return MPI_Alltoallv(mine, b->counts, b->places, MPI_INT, in, b->counts, b->places, MPI_INT, comm);
    default:
      return MPI_Alltoallw(mine, b->counts, b->bytes, b->types, in, b->counts, b->bytes, b->types, comm);
  }
}

// MPICH 4.0 dies of some reductions in place to one rank.
static int reduce(int which, int count, int root, const void* mine, const struct Blocks* b, MPI_Comm comm, MPI_Op op) {
  switch (which) {
    case 0:
      return MPI_Reduce(out, in, count, MPI_INT, op, root, comm);
    case 1:
      return MPI_Allreduce(mine, in, count, MPI_INT, op, comm);
    case 2:
      return MPI_Reduce_scatter(mine, in, b->counts, MPI_INT, op, comm);
    case 3:
      return MPI_Reduce_scatter_block(mine, in, count, MPI_INT, op, comm);
    case 4:
      return MPI_Scan(mine, in, count, MPI_INT, op, comm);
    default:
      return MPI_Exscan(mine, in, count, MPI_INT, op, comm);
  }
}

void collectives(int round, MPI_Comm comm) {
  enum { kBroadcast = 1, kMoves = 11, kReductions = 6, kExscan = kMoves + kReductions - 1 };
  static const MPI_Op kOps[] = {MPI_BXOR, MPI_MAX, MPI_MIN, MPI_BOR};
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  const int count = draw(3) == 0 ? 3000 : draw(50), root = draw(ranks), which = draw(kMoves + kReductions);
  const int in_place = draw(2), which_op = draw(5), all = count * ranks;
  const struct Blocks blocks = blocks_of(ranks, count);
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
  add_ints(in, which == kMoves + 2 || which == kMoves + 3 ? count : all);
}

void collectives_of_all(int round) { collectives(round, world); }

static int start(int which, int count, int root, const struct Blocks* b, int* to, MPI_Request* request) {
  switch (which) {
    case 0:
      return MPI_Ibarrier(world, request);
    case 1:
      return MPI_Ibcast(to, count, MPI_INT, root, world, request);
    case 2:
      return MPI_Igather(out, count, MPI_INT, to, count, MPI_INT, root, world, request);
    case 3:
      return MPI_Igatherv(out, count, MPI_INT, to, b->counts, b->places, MPI_INT, root, world, request);
    case 4:
      return MPI_Iscatter(out, count, MPI_INT, to, count, MPI_INT, root, world, request);
    case 5:
      return MPI_Iscatterv(out, b->counts, b->places, MPI_INT, to, count, MPI_INT, root, world, request);
    case 6:
      return MPI_Iallgather(out, count, MPI_INT, to, count, MPI_INT, world, request);
    case 7:
      return MPI_Iallgatherv(out, count, MPI_INT, to, b->counts, b->places, MPI_INT, world, request);
    case 8:
      return MPI_Ialltoall(out, count, MPI_INT, to, count, MPI_INT, world, request);
    case 9:
      return MPI_Ialltoallv(out, b->counts, b->places, MPI_INT, to, b->counts, b->places, MPI_INT, world, request);
    case 10:
      return MPI_Ialltoallw(out, b->counts, b->bytes, b->types, to, b->counts, b->bytes, b->types, world, request);
    case 11:
      return MPI_Ireduce(out, to, count, MPI_INT, MPI_BXOR, root, world, request);
    case 12:
      return MPI_Iallreduce(out, to, count, MPI_INT, MPI_MAX, world, request);
    case 13:
      return MPI_Ireduce_scatter(out, to, b->counts, MPI_INT, MPI_BXOR, world, request);
    case 14:
      return MPI_Ireduce_scatter_block(out, to, count, MPI_INT, MPI_MIN, world, request);
    case 15:
      return MPI_Iscan(out, to, count, MPI_INT, MPI_BXOR, world, request);
    default:
      return MPI_Iexscan(out, to, count, MPI_INT, MPI_BXOR, world, request);
  }
}

void nonblocking_collectives(int round) {
  enum { kStarted = 4, kKinds = 17, kExscan = 16 };
  MPI_Request requests[kStarted];
  int which[kStarted];
  const int count = draw(3) == 0 ? 2000 : draw(50), root = draw(size), one_by_one = draw(2), all = count * size;
  const struct Blocks blocks = blocks_of(size, count);
  fill(all, round);
  memset(in, 0x5A, sizeof in[0] * kStarted * (size_t)all);
  be_late();
  for (int i = 0; i < kStarted; ++i) {
    which[i] = draw(kKinds);
    add_code(start(which[i], count, root, &blocks, in + i * all, &requests[i]));
  }
  be_late();
  if (one_by_one) {
    for (int i = kStarted - 1; i >= 0; --i) add_code(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  } else {
    MPI_Status statuses[kStarted];
    add_code(MPI_Waitall(kStarted, requests, statuses));
  }
  for (int i = 0; i < kStarted; ++i) {
    if (which[i] != kExscan || me != 0) add_ints(in + i * all, all);
  }
}

static int exchange(int which, int count, int sides, const struct Blocks* b, MPI_Comm graph) {
  MPI_Aint bytes[kRanks];
  for (int i = 0; i < sides; ++i) bytes[i] = b->bytes[i];
  switch (which) {
    case 0:
      return MPI_Neighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, graph);
    case 1:
      return MPI_Neighbor_allgatherv(out, count, MPI_INT, in, b->counts, b->places, MPI_INT, graph);
    case 2:
      return MPI_Neighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, graph);
    case 3:
      return MPI_Neighbor_alltoallv(out, b->counts, b->places, MPI_INT, in, b->counts, b->places, MPI_INT, graph);
    default:
      return MPI_Neighbor_alltoallw(out, b->counts, bytes, b->types, in, b->counts, bytes, b->types, graph);
  }
}

static int start_exchange(int which, int count, const struct Blocks* b, MPI_Comm graph, MPI_Request* request) {
  switch (which) {
    case 0:
      return MPI_Ineighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, graph, request);
    case 1:
      return MPI_Ineighbor_allgatherv(out, count, MPI_INT, in, b->counts, b->places, MPI_INT, graph, request);
    case 2:
      return MPI_Ineighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, graph, request);
    default:
      return MPI_Ineighbor_alltoallv(out, b->counts, b->places, MPI_INT, in, b->counts, b->places, MPI_INT, graph,
                                     request);
  }
}

// A grid with or without an end, or a graph in which each rank hands on to the next ones.
void neighbours(int round) {
  const int count = draw(200), how = draw(3), step = draw(size), starts = draw(2), which = draw(starts ? 4 : 5);
  const int sides = 2, periodic = how == 0;
  const int to[2] = {next_rank(1), next_rank(step)}, from[2] = {last_rank(1), last_rank(step)};
  const struct Blocks blocks = blocks_of(sides, count);
  MPI_Comm graph;
  MPI_Request request;
  if (how < 2) {
    MPI_Cart_create(world, 1, &size, &periodic, 0, &graph);
  } else {
    MPI_Dist_graph_create_adjacent(world, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  }
  fill(sides * count, round);
  be_late();
  if (starts) {
    add_code(start_exchange(which, count, &blocks, graph, &request));
    add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    add_code(exchange(which, count, sides, &blocks, graph));
  }
  add_ints(in, sides * count);
  MPI_Comm_free(&graph);
}
