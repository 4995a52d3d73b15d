// SPDX-License-Identifier: BSD-3-Clause
// Started: what a collective needs that is under way, and what it gave once it is over. Of all ranks of the world.
#pragma once

#include "blocks.h"

enum { kStartedKinds = 17 };

struct Started {
  int which, ints, count, root, in_place;  // ints: of the block of one rank
  struct Blocks blocks;
  int* to;
};

int some_started_ints(void);
struct Started some_started(int which, int ints, int root, int* to);
void fill_started(const struct Started* s);  // before each start, from out
void add_started(const struct Started* s);

// How many numbers a reduction defines of those that a rank gets.
int defined_ints(int is_scattered, int count, int own, int all, struct Basic of);
