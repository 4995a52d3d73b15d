// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes: of every maker, nested, resized, empty.
#include "kinds.h"

enum { kExtent = 3000 };  // numbers that one of them spans at most

// Nobody's number lies outside of the first kExtent.
static MPI_Datatype drawn_type(void) {
  const int count = draw(500), how = draw(7);
  int lengths[3] = {1 + draw(9), draw(9), 1 + draw(9)}, places[3] = {100, 50, 10};
  const MPI_Aint far[3] = {400, 0, 200};
  const MPI_Datatype ints[3] = {MPI_INT, MPI_FLOAT, MPI_INT};
  const int sizes[2] = {40, 50}, part[2] = {7, 9}, from[2] = {11, 3};
  MPI_Datatype type = MPI_INT, inner = MPI_DATATYPE_NULL;
  if (how == 0) MPI_Type_contiguous(count, MPI_INT, &type);
  if (how == 1) MPI_Type_vector(count, 2, 5, MPI_INT, &type);
  if (how == 2) MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  if (how == 3) MPI_Type_create_struct(3, lengths, far, ints, &type);
  if (how == 4) {
    MPI_Type_vector(4, 1, 2, MPI_INT, &inner);
    MPI_Type_create_hvector(1 + count / 20, 1, 48, inner, &type);
  }
  if (how == 5) {
    MPI_Type_contiguous(3, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 20, &type);
  }
  if (how == 6) MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &type);
  if (inner != MPI_DATATYPE_NULL) MPI_Type_free(&inner);
  MPI_Type_commit(&type);
  return type;
}

void derived_types(int round) {
  const int step = draw(size), way = draw(6), root = draw(size);
  MPI_Datatype type = drawn_type(), spread;
  MPI_Status status = untouched();
  MPI_Request request;
  int bytes = 0, elements = 0;
  MPI_Type_size(type, &bytes);
  MPI_Type_create_resized(type, 0, kExtent * (int)sizeof(int), &spread);
  MPI_Type_commit(&spread);
  const int all = kExtent * (way == 5 ? size : 1);
  fill(all, round);
  be_late();
  switch (way) {
    case 0:
      add_code(MPI_Sendrecv(out, 1, type, next_rank(step), round, in, 1, type, last_rank(step), round, world, &status));
      break;
    case 1:
      memcpy(in, out, sizeof in[0] * kExtent);
      add_code(MPI_Sendrecv_replace(in, 1, type, next_rank(step), round, last_rank(step), round, world, &status));
      break;
    case 2:  // what is sent as one of them comes as numbers
      MPI_Isend(out, 1, type, next_rank(step), round, world, &request);
      add_code(MPI_Recv(in, bytes / (int)sizeof(int), MPI_INT, last_rank(step), round, world, &status));
      add_code(MPI_Wait(&request, MPI_STATUS_IGNORE));
      break;
    case 3:  // and the other way round
      MPI_Irecv(in, 1, type, last_rank(step), round, world, &request);
      add_code(MPI_Send(out, bytes / (int)sizeof(int), MPI_INT, next_rank(step), round, world));
      add_code(MPI_Wait(&request, &status));
      break;
    case 4:
      add_code(MPI_Bcast(me == root ? out : in, 1, type, root, world));
      break;
    default:
      add_code(MPI_Allgather(out, 1, type, in, 1, spread, world));
  }
  if (way < 4) {
    add_status_with_error(&status);
    // Of types with empty parts MPICH 4.0 cannot tell the elements.
    if (bytes > 0) MPI_Get_count(&status, way == 2 ? MPI_INT : type, &elements);
    add((uint64_t)elements);
  }
  add_ints(in, all);
  MPI_Type_free(&spread);
  MPI_Type_free(&type);
  MPI_Barrier(world);
}
