// SPDX-License-Identifier: BSD-3-Clause
// Operations: what a rank does with a target in an epoch, drawn alike for all, and what it got once the epoch is over.
#pragma once

#include "memory.h"

struct Work {
  int ints;
  struct Basic of;      // what is put and got,
  struct Basic number;  // and what is added to
  MPI_Op added, fetched;
  int is_spread;  // every other one of what is put and got, by a derived type
  int swaps;      // whether it is to succeed
  int puts, gets, adds, fetches, fetches_one, takes_ticket, comes_first;
};

struct Work some_work(void);
// The target is the epoch's nth; is_of_all: all ranks work on it.
void work_on(const struct Memory* memory, const struct Work* work, int target, int nth, int is_of_all);
// What it put there, got again: behind a flush.
void get_again(const struct Memory* memory, const struct Work* work, int target, int nth);
// Of so many targets, at the end of the epoch.
void fill_work(int targets, int round);
void add_work(struct Memory* memory, const struct Work* work, const int targets[], int count, int is_of_all);
