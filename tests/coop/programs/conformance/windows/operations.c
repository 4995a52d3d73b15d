// SPDX-License-Identifier: BSD-3-Clause
#include "operations.h"

enum {  // of what is given to a target, and got from it
  kGiven = 0,
  kGot = kPart,
  kWord = 2 * kPart,
  kOld = kWord + 4,
  kTicket = kWord + 8,
  kCame = kWord + 12,
  kEach = kWord + 16
};

// One whose result does not depend on the order: of some types Open MPI 4.1's sums, minima and maxima do.
static MPI_Op some_added(MPI_Datatype type) {
  static const MPI_Op kAdded[] = {MPI_BXOR, MPI_BAND, MPI_SUM, MPI_MAX, MPI_MIN};
  const int which = draw(5);
#ifdef OPEN_MPI
  if (type != MPI_INT && type != MPI_INT64_T) return kAdded[which % 2];
#endif
  (void)type;
  return kAdded[which];
}

struct Work some_work(void) {
  static const MPI_Op kFetch[] = {MPI_SUM, MPI_REPLACE, MPI_NO_OP, MPI_BXOR};
  struct Work work = {.ints = draw(4) == 0 ? kPart : draw(50), .of = some_type(), .number = some_integer()};
  work.added = some_added(work.number.type);
  work.fetched = kFetch[draw(4)];
  work.is_spread = draw(3) == 0;
  work.swaps = draw(3) != 0;
  work.puts = draw(3) != 0, work.gets = draw(3) != 0, work.adds = draw(3) != 0, work.fetches = draw(2);
  work.fetches_one = draw(2), work.takes_ticket = draw(2), work.comes_first = draw(2);
  return work;
}

void fill_work(int targets, int round) { fill(targets * kEach, round); }

static int* given(int nth) { return out + nth * kEach; }
static int* got(int nth) { return in + nth * kEach; }

static int part_put(const struct Memory* memory) { return own_block(memory) + memory->turn % 2 * kPart; }
static int part_got(const struct Memory* memory) { return own_block(memory) + (memory->turn + 1) % 2 * kPart; }

// So many, or every other one of them.
struct Shape {
  MPI_Datatype type;
  int count, ones;
};
static struct Shape shape_of(const struct Work* work, struct Basic of) {
  const int count = count_of(work->ints, of);
  struct Shape shape = {.type = of.type, .count = count, .ones = count};
  if (!work->is_spread || count < 2) return shape;
  shape.count = 1, shape.ones = count / 2;
  MPI_Type_vector(shape.ones, 1, 2, of.type, &shape.type);
  MPI_Type_commit(&shape.type);
  return shape;
}
static void free_shape(struct Shape* shape, struct Basic of) {
  if (shape->type != of.type) MPI_Type_free(&shape->type);  // what is under way goes on
}

static void put(const struct Memory* m, const struct Work* work, int target, int nth) {
  struct Shape shape = shape_of(work, work->of);
  add_code(MPI_Put(given(nth), shape.count, shape.type, target, place_of(m, target, part_put(m)), shape.ones,
                   work->of.type, m->window));
  free_shape(&shape, work->of);
}

static void get(const struct Memory* m, const struct Work* work, int target, int nth, int part) {
  struct Shape shape = shape_of(work, work->of);
  add_code(MPI_Get(got(nth), shape.ones, work->of.type, target, place_of(m, target, part), shape.count, shape.type,
                   m->window));
  free_shape(&shape, work->of);
}

static void add_to_all(const struct Memory* m, const struct Work* work, int target, int nth) {
  struct Shape shape = shape_of(work, work->number);
  add_code(MPI_Accumulate(given(nth), shape.ones, work->number.type, target, place_of(m, target, block_of_all(m)),
                          shape.count, shape.type, work->added, m->window));
  free_shape(&shape, work->number);
}

static void fetch(const struct Memory* m, const struct Work* work, int target, int nth) {
  const int count = count_of(work->ints, work->number);
  const MPI_Datatype type = work->number.type;
  add_code(MPI_Get_accumulate(given(nth), count, type, got(nth) + kGot, count, type, target,
                              place_of(m, target, own_block(m) + 2 * kPart), count, type, work->fetched, m->window));
}

static void fetch_one(const struct Memory* m, const struct Work* work, int target, int nth) {
  add_code(MPI_Fetch_and_op(given(nth) + kWord, got(nth) + kWord, work->number.type, target,
                            place_of(m, target, own_block(m) + kFetched), work->fetched, m->window));
}

// Open MPI 4.1 dies of some that are as long as its own atomics.
static MPI_Datatype swapped_type(const struct Work* work) {
#ifdef OPEN_MPI
  if (work->number.bytes == 8) return MPI_INT;
#endif
  return work->number.type;
}

// Numbers of one byte, so that they are the same in each type.
static void swap_own(const struct Memory* m, const struct Work* work, int target, int nth) {
  int* const words = given(nth) + kOld;
  memset(words, 0, 4 * sizeof words[0]);
  words[0] = (m->turn + nth) % 100 + 1;                                  // what is to be there
  words[2] = work->swaps ? m->swapped[target] : m->swapped[target] + 1;  // if this is
  add_code(MPI_Compare_and_swap(words, words + 2, got(nth) + kOld, swapped_type(work), target,
                                place_of(m, target, own_block(m) + kSwapped), m->window));
}

static void take_ticket(const struct Memory* m, int target, int nth) {
  static const int one = 1;
  add_code(MPI_Fetch_and_op(&one, got(nth) + kTicket, MPI_INT, target, place_of(m, target, block_of_all(m) + kTickets),
                            MPI_SUM, m->window));
}

static void come_first(const struct Memory* m, int target, int nth) {
  int* const words = given(nth) + kCame;
  words[0] = m->first + 1, words[1] = m->first;
  add_code(MPI_Compare_and_swap(words, words + 1, got(nth) + kCame, MPI_INT, target,
                                place_of(m, target, block_of_all(m) + kFirst), m->window));
}

void work_on(const struct Memory* m, const struct Work* work, int target, int nth, int is_of_all) {
  if (work->puts) put(m, work, target, nth);
  if (work->gets) get(m, work, target, nth, part_got(m));
  if (work->adds) add_to_all(m, work, target, nth);
  if (work->fetches) fetch(m, work, target, nth);
  if (work->fetches_one) fetch_one(m, work, target, nth), swap_own(m, work, target, nth);
  if (work->takes_ticket && is_of_all) take_ticket(m, target, nth);
  if (work->comes_first && is_of_all) come_first(m, target, nth);
  add_code(MPI_Put(given(nth), 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, m->window));
  add_code(MPI_Get(got(nth), 1, MPI_INT, m->ranks, 0, 1, MPI_INT, m->window));  // from nobody there is
}

void get_again(const struct Memory* m, const struct Work* work, int target, int nth) {
  if (!work->puts || !work->gets) return;
  add_ints(got(nth), kPart);
  get(m, work, target, nth, part_put(m));
}

// Which number a rank takes, and who comes first, is a matter of time; all numbers together, and how many come first, are not.
static void add_of_all(struct Memory* m, const struct Work* work, int targets) {
  int mine[2] = {0, 0}, all[2] = {0, 0};
  for (int nth = 0; nth < targets; ++nth) {
    if (work->takes_ticket) mine[0] += *(got(nth) + kTicket);
    if (work->comes_first) mine[1] += *(got(nth) + kCame) == m->first;
  }
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, m->comm);
  add_ints(all, 2);
  if (work->comes_first) ++m->first;
}

void add_work(struct Memory* m, const struct Work* work, const int targets[], int count, int is_of_all) {
  for (int nth = 0; nth < count; ++nth) {
    add_ints(got(nth), kTicket);
    if (work->fetches_one && work->swaps) m->swapped[targets[nth]] = (m->turn + nth) % 100 + 1;
  }
  if (is_of_all) add_of_all(m, work, count);
  ++m->turn;
}
