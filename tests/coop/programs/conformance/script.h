// SPDX-License-Identifier: BSD-3-Clause
// Script: what is drawn, alike on all ranks, and the sum of all that a rank got: bytes, statuses, codes. It depends on nothing
// else, so whatever stands between the program and its MPI must leave it as it is.
#pragma once

#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { kMost = 60000 };  // numbers of one message

extern int me, size;
extern MPI_Comm world;  // the program's own twin of MPI_COMM_WORLD
extern int out[4 * kMost], in[4 * kMost], spare[4 * kMost];

void begin_script(uint64_t seed);
uint64_t sum_of_script(void);
int draw(int below);  // the next number of the script
int some_count(void);
// A type that is no derived one, of those that are moved as they are; and how many of it are so many numbers, rounded down.
struct Basic {
  MPI_Datatype type;
  int bytes;
};
struct Basic some_type(void);
struct Basic some_integer(void);  // that reductions take too
static inline int count_of(int ints, struct Basic of) { return ints * (int)sizeof(int) / of.bytes; }
int all_are_on_one_host(void);  // collective
void be_late(void);             // now and then a rank comes late, so that others sleep

void add(uint64_t word);
void add_code(int code);     // its class, and what it says of what is wrong
void add_failure(int code);  // the same of a call that is made as often as time wills: where it fails
uint64_t told(const MPI_Status* status);
void add_status(const MPI_Status* status);
// MPI_ERROR too, of one that was begun here: a call that completes one request leaves it alone.
MPI_Status untouched(void);
void leave_untouched(MPI_Status* statuses, int count);
uint64_t told_with_error(const MPI_Status* status);
void add_status_with_error(const MPI_Status* status);
void add_ints(const int* ints, int count);
void fill(int count, int round);  // out with what nobody else sends, in with what nobody does

uint64_t mixed(uint64_t word);
static inline int next_rank(int step) { return (me + step) % size; }
static inline int last_rank(int step) { return (me + size - step % size) % size; }
