// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes: of every maker, nested, resized, empty, and of absolute addresses (MPI_BOTTOM).
#include "kinds.h"

enum { kExtent = 3000, kBlocks = 3 };  // numbers that one of them spans at most

// What the makers are told, drawn alike for all of them.
struct Plan {
  int count, which, lengths[kBlocks];
};

static const int kPlaces[kBlocks] = {100, 50, 10};
static const MPI_Aint kBytes[kBlocks] = {400, 0, 200};

static MPI_Datatype contiguous(const struct Plan* plan) {
  MPI_Datatype type;
  MPI_Type_contiguous(plan->count, MPI_INT, &type);
  return type;
}
static MPI_Datatype vector(const struct Plan* plan) {
  MPI_Datatype type;
  MPI_Type_vector(plan->count, 2, 5, MPI_INT, &type);
  return type;
}
static MPI_Datatype indexed(const struct Plan* plan) {
  MPI_Datatype type;
  MPI_Type_indexed(kBlocks, plan->lengths, kPlaces, MPI_INT, &type);
  return type;
}
static MPI_Datatype hindexed(const struct Plan* plan) {
  MPI_Datatype type;
  MPI_Type_create_hindexed(kBlocks, plan->lengths, kBytes, MPI_INT, &type);
  return type;
}
static MPI_Datatype indexed_block(const struct Plan* plan) {
  MPI_Datatype type;
  MPI_Type_create_indexed_block(kBlocks, plan->lengths[0], kPlaces, MPI_INT, &type);
  return type;
}
static MPI_Datatype hindexed_block(const struct Plan* plan) {
  MPI_Datatype type;
  MPI_Type_create_hindexed_block(kBlocks, plan->lengths[0], kBytes, MPI_INT, &type);
  return type;
}
static MPI_Datatype structure(const struct Plan* plan) {
  const MPI_Datatype members[kBlocks] = {MPI_INT, MPI_FLOAT, MPI_INT};
  MPI_Datatype type;
  MPI_Type_create_struct(kBlocks, plan->lengths, kBytes, members, &type);
  return type;
}
static MPI_Datatype subarray(const struct Plan* plan) {
  const int sizes[2] = {40, 50}, part[2] = {7, 9}, from[2] = {11, 3};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, part, from, plan->which % 2 ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &type);
  return type;
}
// What one of four processes has of an array.
static MPI_Datatype distributed_array(const struct Plan* plan) {
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int sizes[2] = {40, 50}, processes[2] = {2, 2};
  const int spread[2] = {kinds[plan->which % 2], kinds[plan->count % 2]};
  const int each[2] = {MPI_DISTRIBUTE_DFLT_DARG, spread[1] == MPI_DISTRIBUTE_CYCLIC ? 3 : MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype type;
  MPI_Type_create_darray(4, plan->which, 2, sizes, spread, each, processes, MPI_ORDER_C, MPI_INT, &type);
  return type;
}
static MPI_Datatype vector_of_vectors(const struct Plan* plan) {
  MPI_Datatype type, inner;
  MPI_Type_vector(4, 1, 2, MPI_INT, &inner);
  MPI_Type_create_hvector(1 + plan->count / 20, 1, 48, inner, &type);
  MPI_Type_free(&inner);
  return type;
}
static MPI_Datatype resized(const struct Plan* plan) {
  MPI_Datatype type, inner, longer;
  MPI_Type_contiguous(3, MPI_INT, &inner);
  MPI_Type_create_resized(inner, plan->which % 2 ? -8 : 0, 20, &longer);
  MPI_Type_contiguous(1 + plan->count / 50, longer, &type);
  MPI_Type_free(&longer);
  MPI_Type_free(&inner);
  return type;
}
static MPI_Datatype structure_of_structures(const struct Plan* plan) {
  const int lengths[kBlocks] = {1, 2, plan->lengths[1]};
  const MPI_Aint bytes[kBlocks] = {2000, 0, 4000};
  MPI_Datatype type, members[kBlocks];
  members[0] = structure(plan);
  members[1] = indexed_block(plan);
  members[2] = MPI_INT;
  MPI_Type_create_struct(kBlocks, lengths, bytes, members, &type);
  MPI_Type_free(&members[0]);
  MPI_Type_free(&members[1]);
  return type;
}
static MPI_Datatype twin(const struct Plan* plan) {
  MPI_Datatype type, first = plan->which % 2 ? vector(plan) : hindexed(plan);
  MPI_Type_dup(first, &type);
  MPI_Type_free(&first);
  return type;
}

static MPI_Datatype (*const kMakers[])(const struct Plan*) = {
    contiguous, vector,  indexed,           hindexed,          indexed_block, hindexed_block,          structure,
    subarray,   resized, distributed_array, vector_of_vectors, twin,          structure_of_structures,
};

// Nobody's number lies outside of the first kExtent.
static MPI_Datatype drawn_type(void) {
  const int maker = draw((int)(sizeof kMakers / sizeof kMakers[0]));
  const struct Plan plan = {draw(500), draw(4), {1 + draw(9), draw(9), 1 + draw(9)}};
  MPI_Datatype type = kMakers[maker](&plan);
  MPI_Type_commit(&type);
  return type;
}

// The same, where a buffer is: by its address, which differs from rank to rank.
static MPI_Datatype at_address(MPI_Datatype type, const void* buffer) {
  const int one = 1;
  MPI_Aint address;
  MPI_Datatype there;
  MPI_Get_address(buffer, &address);
  MPI_Type_create_struct(1, &one, &address, &type, &there);
  MPI_Type_commit(&there);
  return there;
}

// A buffer and the type of what lies there.
struct Side {
  void* buffer;
  MPI_Datatype type;
};
static struct Side side_of(MPI_Datatype type, int* buffer, int by_address) {
  if (by_address) return (struct Side){MPI_BOTTOM, at_address(type, buffer)};
  struct Side side = {.buffer = buffer};
  MPI_Type_dup(type, &side.type);
  return side;
}

struct Exchange {
  struct Side out, in, in_each;  // the last: from each rank
  int ints;                      // what it is in numbers
  int to, from, root, round;
};

enum Way { kExchange, kReplace, kAsInts, kFromInts, kMatched, kBuffered, kAgain, kMessages };
enum { kBroadcast = kMessages, kScatter, kOneResult, kAllgather = kOneResult, kGather, kAllToAll, kWays };

static int exchange_again(const struct Exchange* e, MPI_Status* status) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int code = MPI_SUCCESS;
  MPI_Send_init(e->out.buffer, 1, e->out.type, e->to, e->round, world, &requests[0]);
  MPI_Recv_init(e->in.buffer, 1, e->in.type, e->from, e->round, world, &requests[1]);
  for (int time = 0; time < 2 && code == MPI_SUCCESS; ++time) {
    MPI_Startall(2, requests);
    leave_untouched(statuses, 2);
    code = MPI_Waitall(2, requests, statuses);
  }
  *status = statuses[1];
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return code;
}

static int send_and_receive(const struct Exchange* e, int is_buffered, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message;
  if (is_buffered) {
    add_code(MPI_Bsend(e->out.buffer, 1, e->out.type, e->to, e->round, world));
  } else {
    MPI_Isend(e->out.buffer, 1, e->out.type, e->to, e->round, world, &request);
  }
  add_code(MPI_Mprobe(e->from, e->round, world, &message, MPI_STATUS_IGNORE));
  const int code = MPI_Mrecv(e->in.buffer, 1, e->in.type, &message, status);
  add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
  return code;
}

static int pass_message(const struct Exchange* e, enum Way way, MPI_Status* status) {
  MPI_Request request;
  int code;
  switch (way) {
    case kExchange:
      return MPI_Sendrecv(e->out.buffer, 1, e->out.type, e->to, e->round, e->in.buffer, 1, e->in.type, e->from,
                          e->round, world, status);
    case kReplace:
      memcpy(in, out, sizeof in[0] * kExtent);
      return MPI_Sendrecv_replace(e->in.buffer, 1, e->in.type, e->to, e->round, e->from, e->round, world, status);
    case kAsInts:  // what is sent as one of them comes as numbers
      MPI_Isend(e->out.buffer, 1, e->out.type, e->to, e->round, world, &request);
      add_code(MPI_Recv(in, e->ints, MPI_INT, e->from, e->round, world, status));
      return MPI_Wait(&request, MPI_STATUS_IGNORE);
    case kFromInts:  // and the other way round
      MPI_Irecv(e->in.buffer, 1, e->in.type, e->from, e->round, world, &request);
      code = MPI_Send(out, e->ints, MPI_INT, e->to, e->round, world);
      add_code(MPI_Wait(&request, status));
      return code;
    case kAgain:
      return exchange_again(e, status);
    default:
      return send_and_receive(e, way == kBuffered, status);
  }
}

// They come as numbers, at places and of counts that the receiver chooses.
static int all_to_all(const struct Exchange* e) {
  int ones[64], none[64], counts[64], places[64];
  MPI_Datatype types[64], numbers[64];
  for (int i = 0; i < size; ++i) {
    ones[i] = 1, none[i] = 0, counts[i] = e->ints, types[i] = e->out.type, numbers[i] = MPI_INT;
    places[i] = i * kExtent * (int)sizeof(int);
  }
  return MPI_Alltoallw(e->out.buffer, ones, none, types, in, counts, places, numbers, world);
}

static int pass_to_all(const struct Exchange* e, int way) {
  const int is_root = me == e->root;
  switch (way) {
    case kBroadcast:
      return MPI_Bcast(is_root ? e->out.buffer : e->in.buffer, 1, is_root ? e->out.type : e->in.type, e->root, world);
    case kScatter:  // the root gives numbers
      return MPI_Scatter(out, e->ints, MPI_INT, e->in.buffer, 1, e->in.type, e->root, world);
    case kAllgather:
      return MPI_Allgather(e->out.buffer, 1, e->out.type, e->in_each.buffer, 1, e->in_each.type, world);
    case kGather:
      return MPI_Gather(e->out.buffer, 1, e->out.type, e->in_each.buffer, 1, e->in_each.type, e->root, world);
    default:
      return all_to_all(e);
  }
}

static void add_message(const struct Exchange* e, enum Way way, MPI_Datatype type) {
  MPI_Status status = untouched();
  int elements = 0;
  add_code(pass_message(e, way, &status));
  add_status_with_error(&status);
  // Of types with empty parts MPICH 4.0 cannot tell the elements.
  if (e->ints > 0) MPI_Get_count(&status, way == kAsInts ? MPI_INT : type, &elements);
  add((uint64_t)elements);
}

void derived_types(int round) {
  const int step = draw(size), way = draw(kWays), root = draw(size), by_address = draw(3) == 0;
  MPI_Datatype type = drawn_type(), spread;
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  MPI_Type_create_resized(type, 0, kExtent * (int)sizeof(int), &spread);
  const int all = kExtent * (way >= kOneResult ? size : 1);
  struct Exchange e = {.to = next_rank(step), .from = last_rank(step), .root = root, .round = round};
  e.ints = bytes / (int)sizeof(int);
  e.out = side_of(type, out, by_address);
  e.in = side_of(type, in, by_address);
  e.in_each = (struct Side){in, spread};
  MPI_Type_commit(&e.in_each.type);
  fill(kExtent * size, round);
  be_late();
  if (way < kMessages) {
    add_message(&e, (enum Way)way, type);
  } else {
    add_code(pass_to_all(&e, way));
  }
  add_ints(in, all);
  MPI_Type_free(&e.out.type);
  MPI_Type_free(&e.in.type);
  MPI_Type_free(&e.in_each.type);
  MPI_Type_free(&type);
  MPI_Barrier(world);
}
