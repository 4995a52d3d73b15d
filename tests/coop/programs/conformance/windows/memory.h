// SPDX-License-Identifier: BSD-3-Clause
// Memory: a window by one of its makers, and what lies in the memory of each of its ranks: a block for each rank, which that one alone
// works on, and one that all add to.
#pragma once

#include "../script.h"

enum {
  kPart = 1000,  // numbers of each part of a block
  kParts = 3,    // two are put and got in turns, one is fetched and added to
  kFetched = kParts * kPart,
  kSwapped = kFetched + 4,  // single words, with room for the longest type
  kBlock = kFetched + 16,
  kTickets = kPart,    // of the block of all: a word that each rank takes a number from,
  kFirst = kPart + 4,  // and one that the first to come changes
  kOfAll = kPart + 8,
  kRanks = 64
};

struct Memory {
  MPI_Win window;
  MPI_Comm comm;
  int rank, ranks;
  int* words;  // this rank's
  int is_own;  // whether they were the program's before
  int bytes_of_place;
  MPI_Aint begins[kRanks];  // the place of each rank's first word
  int turn;                 // grows with each epoch
  int swapped[kRanks];      // what is in this rank's word there
  int first;                // what is in the word that the first to come changes
};

int has_windows(void);
struct Memory some_memory(void);
void free_memory(struct Memory* memory);
void add_memory(const struct Memory* memory);             // when nobody works on this rank's
void add_memory_under_lock(const struct Memory* memory);  // once none of its ranks is in an epoch

static inline MPI_Aint place_of(const struct Memory* memory, int target, int word) {
  return memory->begins[target] + (MPI_Aint)word * (MPI_Aint)sizeof(int) / memory->bytes_of_place;
}
static inline int own_block(const struct Memory* memory) { return memory->rank * kBlock; }
static inline int block_of_all(const struct Memory* memory) { return memory->ranks * kBlock; }
