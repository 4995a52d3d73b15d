// SPDX-License-Identifier: BSD-3-Clause
// Communicators: parts, twins, grids, graphs, two groups.
#include "kinds.h"

static void other_makers(int round) {
  MPI_Comm made = MPI_COMM_NULL, grid;
  MPI_Group group, some;
  const int how = draw(4), half = (size + 1) / 2;
  int extents[2] = {0, 0}, periods[2] = {1, 0}, kept[2] = {0, 1}, range[1][3] = {{0, half - 1, 1}};
  if (how == 0) MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &made);
  if (how == 1) {
    MPI_Comm_group(world, &group);
    MPI_Group_range_incl(group, 1, range, &some);
    add_code(MPI_Comm_create(world, some, &made));
    MPI_Group_free(&some);
    MPI_Group_free(&group);
  }
  if (how == 2) MPI_Comm_dup_with_info(world, MPI_INFO_NULL, &made);
  if (how == 3) {
    MPI_Dims_create(size, 2, extents);
    MPI_Cart_create(world, 2, extents, periods, 0, &grid);
    MPI_Cart_sub(grid, kept, &made);
    MPI_Comm_free(&grid);
  }
  // Those without draw as the others do.
  collectives(round, made == MPI_COMM_NULL ? MPI_COMM_SELF : made);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
}

void communicators(int round) {
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
  MPI_Comm_free(&part);
  other_makers(round);
  MPI_Comm_free(&late);
  MPI_Comm_free(&twin);
}

void between_groups(int round) {
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
  if (upper) add_ints(in, count);
  if (rank == 0) {
    add_code(MPI_Sendrecv(out, count, MPI_INT, 0, round, in, count, MPI_INT, 0, round, both, &status));
    add_status(&status);
    add_ints(in, count);
  }
  add((uint64_t)far);
  MPI_Intercomm_merge(both, upper, &merged);
  collectives(round, merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}
