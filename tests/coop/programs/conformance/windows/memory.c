// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <stdlib.h>

enum Maker { kCreated, kAllocated, kShared, kDynamic, kMakers };

// Open MPI 4.1 makes none of one rank on some hosts, and none over TCP.
int has_windows(void) {
#ifdef OPEN_MPI
  return size > 1 && all_are_on_one_host();
#else
  return 1;
#endif
}

// Of all ranks, or two windows of half of them each at once, which Open MPI 4.1 mixes up.
static MPI_Comm some_ranks(void) {
  MPI_Comm comm;
  const int apart = draw(3) == 0;
#ifdef OPEN_MPI
  MPI_Comm_split(world, 0 * apart, me, &comm);
#else
  MPI_Comm_split(world, apart ? me % 2 : 0, me, &comm);
#endif
  return comm;
}

static MPI_Aint bytes_of(const struct Memory* memory) {
  return (MPI_Aint)sizeof(int) * (block_of_all(memory) + kOfAll);
}

static void set_words(struct Memory* memory) {
  const int all = block_of_all(memory);
  for (int i = 0; i < all + kOfAll; ++i) memory->words[i] = (int)mixed((uint64_t)memory->rank << 32U ^ (uint64_t)i);
  for (int i = 0; i < memory->ranks; ++i) memset(memory->words + i * kBlock + kSwapped, 0, 4 * sizeof(int));
  memset(memory->words + all + kTickets, 0, (kOfAll - kTickets) * sizeof(int));
}

// Its places are addresses there.
static void attach(struct Memory* memory) {
  MPI_Aint begins = 0;
  add_code(MPI_Win_attach(memory->window, memory->words, bytes_of(memory)));
  MPI_Get_address(memory->words, &begins);
  MPI_Allgather(&begins, 1, MPI_AINT, memory->begins, 1, MPI_AINT, memory->comm);
}

static int make(struct Memory* memory, enum Maker maker) {
  const MPI_Aint bytes = bytes_of(memory);
  const int unit = memory->bytes_of_place;
  switch (maker) {
    case kAllocated:
      return MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, memory->comm, &memory->words, &memory->window);
    case kShared:
      return MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, memory->comm, &memory->words, &memory->window);
    case kDynamic:
      return MPI_Win_create_dynamic(MPI_INFO_NULL, memory->comm, &memory->window);
    default:
      return MPI_Win_create(memory->words, bytes, unit, MPI_INFO_NULL, memory->comm, &memory->window);
  }
}

struct Memory some_memory(void) {
  struct Memory memory = {.comm = some_ranks()};
  const int drawn = draw(kMakers), bytes_are_places = draw(2);
  const enum Maker maker = drawn == kShared && !all_are_on_one_host() ? kAllocated : (enum Maker)drawn;
  MPI_Comm_rank(memory.comm, &memory.rank);
  MPI_Comm_size(memory.comm, &memory.ranks);
  memory.bytes_of_place = maker == kDynamic || bytes_are_places ? 1 : (int)sizeof(int);
  memory.is_own = maker == kCreated || maker == kDynamic;
  if (memory.is_own) memory.words = malloc((size_t)bytes_of(&memory));
  add_code(make(&memory, maker));
  MPI_Win_set_errhandler(memory.window, MPI_ERRORS_RETURN);
  if (maker == kDynamic) attach(&memory);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, memory.rank, 0, memory.window);
  set_words(&memory);
  MPI_Win_unlock(memory.rank, memory.window);
  MPI_Barrier(memory.comm);
  return memory;
}

void free_memory(struct Memory* memory) {
  if (memory->is_own && memory->begins[memory->rank] != 0) add_code(MPI_Win_detach(memory->window, memory->words));
  add_code(MPI_Win_free(&memory->window));
  add(memory->window == MPI_WIN_NULL);
  if (memory->is_own) free(memory->words);
  MPI_Comm_free(&memory->comm);
}

void add_memory(const struct Memory* memory) { add_ints(memory->words, block_of_all(memory) + kOfAll); }

void add_memory_under_lock(const struct Memory* memory) {
  MPI_Barrier(memory->comm);
  MPI_Win_lock(MPI_LOCK_SHARED, memory->rank, 0, memory->window);
  add_memory(memory);
  MPI_Win_unlock(memory->rank, memory->window);
  MPI_Barrier(memory->comm);
}
