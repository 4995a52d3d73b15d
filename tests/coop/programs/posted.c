// SPDX-License-Identifier: BSD-3-Clause
// posted [few]: sums of all and gathers to all of little data, each kind again and again, of numbers that come out otherwise in another order, of values that are
// none, each rank's another one, from apart and in place, on communicators of all and of some. Each rank says what it got, as a hash over all bits. few: of each less.
#include <fenv.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kMost = 29, kRounds = 24, kFewRounds = 15 };

static int me, size, rounds = kRounds;
static uint64_t hash = 1469598103934665603U, state;

static void add(const void* bytes, size_t count) {
  const unsigned char* next = bytes;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ next[i]) * 1099511628211U;
}

static uint64_t draw(void) {
  state += 0x9e3779b97f4a7c15U;
  uint64_t word = (state ^ state >> 30) * 0xbf58476d1ce4e5b9U;
  word = (word ^ word >> 27) * 0x94d049bb133111ebU;
  return word ^ word >> 31;
}
// One of many that are no numbers: which of them comes out tells in which order they were combined.
static double no_number(void) {
  double made;
  const uint64_t bits = 0x7ff8000000000000U | (draw() & 1) << 63 | (unsigned)(me + 1) << 8 | draw() % 251;
  memcpy(&made, &bits, sizeof made);
  return made;
}
static float no_float(void) {
  float made;
  const uint32_t bits = 0x7fc00000U | (uint32_t)(me + 1) << 8 | (uint32_t)(draw() % 251);
  memcpy(&made, &bits, sizeof made);
  return made;
}
static double draw_number(int round) {
  static const double others[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324};
  const uint64_t word = draw();
  if (round % 4 == 3) return no_number();
  if (round % 3 == 2 && word % 3 == 0) return no_number();
  if (round % 3 == 2 && word % 7 == 0) return copysign(others[word / 7 % 6], word & 64 ? 1 : -1);
  return ldexp((double)(word >> 11) - 4e15, (int)(word % 31) - 60);
}

union elements {
  double doubles[kMost];
  float floats[2 * kMost];
  int ints[2 * kMost];
  unsigned char bytes[8 * kMost];
};

// What a type's elements are drawn as.
static void fill(union elements* all, MPI_Datatype type, int round) {
  for (int i = 0; i < kMost; ++i) {
    if (type == MPI_DOUBLE) {
      all->doubles[i] = draw_number(round);
    } else if (type == MPI_FLOAT) {
      all->floats[i] = round % 4 == 3 ? no_float() : (float)draw_number(round);
      all->floats[i + kMost] = round % 4 == 3 ? no_float() : (float)draw_number(round);
    } else {
      const uint64_t word = draw();
      memcpy(&all->ints[2 * i], &word, sizeof word);
    }
  }
}

static void reduce(MPI_Comm comm, MPI_Datatype type, MPI_Op op, int count, int round) {
  union elements mine, all;
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  memset(&all, 0, sizeof all);
  fill(&mine, type, round);
  if (round % 2 == 0) {
    MPI_Allreduce(&mine, &all, count, type, op, comm);
  } else {
    all = mine;
    MPI_Allreduce(MPI_IN_PLACE, &all, count, type, op, comm);
  }
  add(&all, (size_t)(count * bytes));
}

static void reduce_often(MPI_Comm comm, MPI_Datatype type, MPI_Op op, int count) {
  for (int round = 0; round < rounds; ++round) reduce(comm, type, op, count, round);
}

// The flags are those of the program's own numbers, and of the library's.
static void keep_flags(MPI_Comm comm) {
  const double one[3] = {1, 1, 1};
  double most[3];
  feclearexcept(FE_ALL_EXCEPT);
  for (int round = 0; round < kRounds; ++round) MPI_Allreduce(one, most, 3, MPI_DOUBLE, MPI_MAX, comm);
  const int flags = fetestexcept(FE_ALL_EXCEPT);
  add(&flags, sizeof flags);
}

static void reduce_some(MPI_Comm comm) {
  reduce_often(comm, MPI_DOUBLE, MPI_SUM, 1);
  reduce_often(comm, MPI_DOUBLE, MPI_SUM, kMost);
  reduce_often(comm, MPI_FLOAT, MPI_SUM, 5);
}

static void reduce_all(MPI_Comm comm) {
  const MPI_Op floating[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN};
  const MPI_Op whole[] = {MPI_SUM, MPI_MAX, MPI_BAND, MPI_LOR, MPI_BXOR};
  reduce_some(comm);
  for (int op = 0; op < 4; ++op) reduce_often(comm, MPI_DOUBLE, floating[op], 1 + op);
  for (int op = 0; op < 5; ++op) reduce_often(comm, MPI_INT, whole[op], 2);
}

// In other places on each rank, where the call has places.
static void gather_all(MPI_Comm comm) {
  enum { kRoom = 64, kWidest = 28 };
  static double all[kRoom * (kWidest + 1)];
  union elements mine;
  int rank = 0, ranks = 0, counts[kRoom], places[kRoom];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int round = 0; round < rounds; ++round) {
    const int count = 1 + round % kWidest;
    fill(&mine, MPI_DOUBLE, round);
    memset(all, 0, sizeof all);
    MPI_Allgather(&mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm);
    add(all, sizeof all);
    memset(all, 0, sizeof all);
    MPI_Allgather(&mine, 0, MPI_DOUBLE, all, 0, MPI_DOUBLE, comm);
    add(all, sizeof all);
    MPI_Allgather(&mine, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm);
    memcpy(&all[rank * count], &mine, (size_t)count * sizeof(double));
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 8 * count, MPI_BYTE, comm);
    add(all, sizeof all);
    for (int other = 0; other < ranks; ++other) {
      counts[other] = 1 + (other + round) % kWidest;
      places[other] = (rank % 2 == 0 ? other : ranks - 1 - other) * (kWidest + 1);
    }
    MPI_Allgatherv(&mine, counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, comm);
    add(all, sizeof all);
  }
}

// Whatever else ranks come to in between.
static void mix(MPI_Comm comm) {
  for (int round = 0; round < rounds; ++round) {
    double one = draw_number(0), sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &request);
    reduce(comm, MPI_DOUBLE, MPI_SUM, 1 + round % 3, round);
    if (round % 4 == 1) MPI_Barrier(comm);
    if (round % 4 == 2) MPI_Bcast(&one, 1, MPI_DOUBLE, round % size, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add(&sum, sizeof sum);
    union elements many[4], all[4];
    for (int i = 0; i < 4; ++i) fill(&many[i], MPI_INT, round);
    MPI_Allreduce(many, all, 8 * kMost, MPI_INT, MPI_SUM, comm);
    add(all, sizeof all);
  }
}

static void do_all(void) {
  MPI_Comm some, twin;
  keep_flags(MPI_COMM_WORLD);
  reduce_all(MPI_COMM_WORLD);
  gather_all(MPI_COMM_WORLD);
  mix(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, me % 3 == 0, -me, &some);
  MPI_Barrier(some);  // behind which its ranks meet
  reduce_all(some);
  gather_all(some);
  MPI_Comm_free(&some);
  // Where the other one's parts may lie yet.
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  reduce_all(twin);
  MPI_Comm_free(&twin);
}

static void do_some(void) {
  rounds = kFewRounds;
  reduce_some(MPI_COMM_WORLD);
  rounds = kFewRounds / 3;
  gather_all(MPI_COMM_WORLD);
  mix(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  state = (uint64_t)me;
  if (argc > 1) {
    do_some();
  } else {
    do_all();
  }
  printf("rank %d: %016llx\n", me, (unsigned long long)hash);
  MPI_Finalize();
  return 0;
}
