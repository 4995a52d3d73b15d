// SPDX-License-Identifier: BSD-3-Clause
// Communicators: parts, twins, grids, graphs; what is attached to them, and what is under way when they are freed.
#include "kinds.h"

static int copied, deleted;  // of what programs attach

static int copy(MPI_Comm comm, int key, void* extra, void* value, void* to, int* is_kept) {
  (void)comm, (void)key, (void)extra;
  ++copied;
  *(void**)to = value;
  *is_kept = 1;
  return MPI_SUCCESS;
}
static int delete (MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void add_made(int code, MPI_Comm made) {
  int ranks = 0, rank = 0, topology = 0, alike = 0;
  add_code(code);
  if (made == MPI_COMM_NULL) return add(4711);
  MPI_Comm_size(made, &ranks);
  MPI_Comm_rank(made, &rank);
  MPI_Topo_test(made, &topology);
  MPI_Comm_compare(world, made, &alike);
  add((uint64_t)ranks << 8U ^ (uint64_t)rank);
  add((uint64_t)(unsigned)topology);
  add((uint64_t)(unsigned)alike);
}

static void free_it(MPI_Comm* comm) {
  add_code(draw(2) ? MPI_Comm_free(comm) : MPI_Comm_disconnect(comm));
  add(*comm == MPI_COMM_NULL);
}

static int first_half(int (*make)(MPI_Comm, MPI_Group, MPI_Comm*), MPI_Comm* made) {
  MPI_Group group, some;
  int range[1][3] = {{0, (size + 1) / 2 - 1, 1}};
  MPI_Comm_group(world, &group);
  MPI_Group_range_incl(group, 1, range, &some);
  const int code = make(world, some, made);
  MPI_Group_free(&some);
  MPI_Group_free(&group);
  return code;
}

static int create_by_some(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  int rank = 0;
  MPI_Group_rank(group, &rank);
  return rank == MPI_UNDEFINED ? MPI_SUCCESS : MPI_Comm_create_group(comm, group, 17, made);
}

static int column_of_grid(MPI_Comm* made) {
  MPI_Comm grid;
  int extents[2] = {0, 0}, periods[2] = {1, 0}, kept[2] = {0, 1};
  MPI_Dims_create(size, 2, extents);
  add_code(MPI_Cart_create(world, 2, extents, periods, 0, &grid));
  const int code = MPI_Cart_sub(grid, kept, made);
  MPI_Comm_free(&grid);
  return code;
}

// A ring of all ranks: each knows the next one.
static int ring(MPI_Comm* made) {
  int ends[64], next[64], known[1] = {-1};
  for (int i = 0; i < size; ++i) ends[i] = i + 1, next[i] = (i + 1) % size;
  const int code = MPI_Graph_create(world, size, ends, next, 0, made);
  MPI_Graph_neighbors(*made, me, 1, known);
  add((uint64_t)(unsigned)known[0]);
  return code;
}

// Of a communicator of its own: the 24th and 25th nonblocking collective of one have tags that Open MPI 4.1's MPI_Dist_graph_create has for
// messages of its own, which takes theirs for such where ranks make both at once. Those of a communicator that is made count too.
static int told_ring(MPI_Comm* made) {
  const int one = 1, next = next_rank(1);
  int from[1] = {-1}, to[1] = {-1}, weight[1] = {0};
  MPI_Comm fresh;
  MPI_Comm_dup(world, &fresh);
  const int code = MPI_Dist_graph_create(fresh, 1, &me, &one, &next, &one, MPI_INFO_NULL, 0, made);
  MPI_Comm_free(&fresh);
  MPI_Dist_graph_neighbors(*made, 1, from, weight, 1, to, weight);
  add((uint64_t)(unsigned)from[0] << 8U ^ (uint64_t)(unsigned)to[0]);
  return code;
}

static int start_twin(MPI_Comm* made) {
  MPI_Request request;
#if MPI_VERSION >= 4
  const int code = MPI_Comm_idup_with_info(world, MPI_INFO_NULL, made, &request);
#else
  const int code = MPI_Comm_idup(world, made, &request);
#endif
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  return code;
}

static void other_makers(int round) {
  MPI_Comm made = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
  const int how = draw(8);
  if (how == 0) code = MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &made);
  if (how == 1) code = first_half(MPI_Comm_create, &made);
  if (how == 2) code = MPI_Comm_dup_with_info(world, MPI_INFO_NULL, &made);
  if (how == 3) code = column_of_grid(&made);
  if (how == 4) code = first_half(create_by_some, &made);
  if (how == 5) code = ring(&made);
  if (how == 6) code = told_ring(&made);
  if (how == 7) code = start_twin(&made);
  add_made(code, made);
  // Those without draw as the others do.
  collectives(round, made == MPI_COMM_NULL ? MPI_COMM_SELF : made);
  MPI_Comm none = MPI_COMM_SELF;
  if (made == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_SELF, &none);
  free_it(made == MPI_COMM_NULL ? &none : &made);
}

// Twins have what is attached to the first, and it is told when each of them goes.
static void attached(void) {
  MPI_Comm first, twin, late;
  MPI_Request request;
  int key = MPI_KEYVAL_INVALID, is_there = 0;
  void* value = NULL;
  copied = deleted = 0;
  MPI_Comm_create_keyval(copy, delete, &key, NULL);
  add_code(MPI_Comm_dup(world, &first));
  MPI_Comm_set_attr(first, key, &key);
  add_code(MPI_Comm_dup(first, &twin));
  MPI_Comm_get_attr(twin, key, &value, &is_there);
  add((uint64_t)(is_there && value == &key));
  add_code(MPI_Comm_idup(twin, &late, &request));
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  add((uint64_t)copied);
  free_it(&twin);
  free_it(&late);
  free_it(&first);
  add((uint64_t)deleted);
  MPI_Comm_free_keyval(&key);
}

// What is under way goes on where its communicator is freed.
static void freed_early(int round) {
  const int count = some_count(), step = draw(size);
  MPI_Comm twin;
  MPI_Request requests[2];
  MPI_Comm_dup(world, &twin);
  fill(count, round);
  MPI_Irecv(in, count, MPI_INT, last_rank(step), round, twin, &requests[0]);
  be_late();
  MPI_Isend(out, count, MPI_INT, next_rank(step), round, twin, &requests[1]);
  add_code(MPI_Comm_free(&twin));
  add(twin == MPI_COMM_NULL);
  add_code(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  add_ints(in, count);
}

void communicators(int round) {
  MPI_Comm part, twin, late;
  MPI_Request request;
  const int colours = 1 + draw(3);
  add_code(MPI_Comm_split(world, me % colours, -me, &part));
  const int code = MPI_Comm_dup(part, &twin);
  add_made(code, twin);
  add_code(MPI_Comm_idup(world, &late, &request));
  be_late();
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  // The numbers that are drawn inside are the same in all parts.
  collectives(round, draw(2) ? twin : late);
  free_it(&part);
  for (int time = 0; time < 3; ++time) other_makers(round);
  if (draw(2)) {
    attached();
  } else {
    freed_early(round);
  }
  free_it(&late);
  free_it(&twin);
}
