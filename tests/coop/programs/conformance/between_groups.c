// SPDX-License-Identifier: BSD-3-Clause
// Communicators of two groups: made, talked over, and merged.
#include "blocks.h"
#include "kinds.h"

// Of a communicator of two groups, whose sizes differ where there is an odd number of ranks.
struct Sides {
  MPI_Comm both;
  int there, rank;  // how many the other group has, and who I am in mine
  int upper, root_is_upper, root;
};

// What stands for the root in a call of each rank.
static int root_for(const struct Sides* s) {
  if (s->upper != s->root_is_upper) return s->root;
  return s->rank == s->root ? MPI_ROOT : MPI_PROC_NULL;
}

// Blocks for ranks of the other group, which are numbered from its first one in the world.
static struct Blocks blocks_for_others(const struct Sides* s, int most, struct Basic of) {
  const int salt = draw(1 << 30), first = s->upper ? 0 : size / 2;
  struct Blocks blocks = blocks_of_all(s->there, most, of);
  for (int i = 0; i < s->there; ++i) blocks.counts[i] = share_of_pair(salt, most, me, first + i);
  return blocks;
}

// What each group gathers of the other one: as many of each of its ranks as that says itself.
static struct Blocks shares_of_others(const struct Sides* s, int salt, int most, struct Basic of) {
  const int first = s->upper ? 0 : size / 2;
  struct Blocks blocks = blocks_of_all(s->there, most, of);
  for (int i = 0; i < s->there; ++i) blocks.counts[i] = share_of_pair(salt, most, first + i, first + i);
  return blocks;
}

enum { kBlockingBetween = 12, kAllBetween = 16 };

static int collective_between(int which, const struct Sides* s, int count, struct Basic of, MPI_Request* request) {
  const MPI_Datatype type = of.type;
  const int root = root_for(s), salt = draw(1 << 30), own = share_of_pair(salt, count, me, me);
  const struct Blocks each = shares_of_others(s, salt, count, of), pairs = blocks_for_others(s, count, of);
  switch (which) {
    case 0:
      return MPI_Barrier(s->both);
    case 1:
      return MPI_Bcast(root == MPI_ROOT ? out : in, count, type, root, s->both);
    case 2:
      return MPI_Gather(out, count, type, in, count, type, root, s->both);
    case 3:
      return MPI_Gatherv(out, own, type, in, each.counts, each.places, type, root, s->both);
    case 4:
      return MPI_Scatter(out, count, type, in, count, type, root, s->both);
    case 5:
      return MPI_Scatterv(out, each.counts, each.places, type, in, own, type, root, s->both);
    case 6:
      return MPI_Reduce(out, in, count, type, MPI_BXOR, root, s->both);
    case 7:
      return MPI_Allgather(out, count, type, in, count, type, s->both);
    case 8:
      return MPI_Allgatherv(out, own, type, in, each.counts, each.places, type, s->both);
    case 9:
      return MPI_Alltoall(out, count, type, in, count, type, s->both);
    case 10:
      return MPI_Alltoallv(out, pairs.counts, pairs.places, type, in, pairs.counts, pairs.places, type, s->both);
    case 11:
      return MPI_Allreduce(out, in, count, type, MPI_MAX, s->both);
    case 12:
      return MPI_Ibarrier(s->both, request);
    case 13:
      return MPI_Iallgather(out, count, type, in, count, type, s->both, request);
    case 14:
      return MPI_Iallreduce(out, in, count, type, MPI_MIN, s->both, request);
    default:
      return MPI_Ialltoall(out, count, type, in, count, type, s->both, request);
  }
}

static void collectives_between(int round, const struct Sides* s) {
  const struct Basic of = some_integer();
  const int which = draw(kAllBetween), ints = draw(4) == 0 ? 2000 : draw(60), count = count_of(ints, of);
  MPI_Request request = MPI_REQUEST_NULL;
  fill(ints * size, round);
  be_late();
  add_code(collective_between(which, s, count, of, &request));
  if (which >= kBlockingBetween) add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  add_ints(in, ints * size);
}

void between_groups(int round) {
  if (size < 2) return;
  MPI_Comm half, merged;
  MPI_Status status = untouched();
  const int upper = me >= size / 2, leader = upper ? 0 : size / 2, ints = draw(3000);
  const struct Basic of = some_type();
  const int count = count_of(ints, of);
  struct Sides sides = {.upper = upper, .root_is_upper = draw(2)};
  sides.root = draw(sides.root_is_upper ? size - size / 2 : size / 2);
  MPI_Comm_split(world, upper, me, &half);
  add_code(MPI_Intercomm_create(half, 0, world, leader, round, &sides.both));
  MPI_Comm_remote_size(sides.both, &sides.there);
  MPI_Comm_rank(half, &sides.rank);
  add((uint64_t)sides.there);
  collectives_between(round, &sides);
  fill(ints, round);
  if (sides.rank == 0) {
    add_code(MPI_Sendrecv(out, count, of.type, 0, round, in, count, of.type, 0, round, sides.both, &status));
    add_status_with_error(&status);
    add_ints(in, ints);
  }
  add_code(MPI_Intercomm_merge(sides.both, upper, &merged));
  collectives(round, merged);
  MPI_Comm_free(&merged);
  add_code(MPI_Comm_free(&sides.both));
  add(sides.both == MPI_COMM_NULL);
  MPI_Comm_free(&half);
}
