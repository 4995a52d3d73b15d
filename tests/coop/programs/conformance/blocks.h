// SPDX-License-Identifier: BSD-3-Clause
// Blocks: what a rank gives or gets of each other, for collectives with counts of their own. Where counts differ every fourth or
// so is zero. All makers take the same numbers from the script on all ranks, whatever their rank and how many there are.
#pragma once

#include "script.h"

enum { kRanks = 64 };

struct Blocks {
  struct Basic of;
  MPI_Datatype type;  // the same
  int counts[kRanks], places[kRanks], bytes[kRanks];
  MPI_Datatype types[kRanks];
};

struct Blocks blocks_of_all(int ranks, int count, struct Basic of);             // as many of each
struct Blocks blocks_of_ranks(int ranks, int most, struct Basic of);            // each rank's own number
struct Blocks blocks_of_pairs(int ranks, int rank, int most, struct Basic of);  // as many from another one as to it
struct Blocks turned_around(const struct Blocks* of_two);                       // of two sides
int share_of_pair(int salt, int most, int one, int other);                      // symmetric
