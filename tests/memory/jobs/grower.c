/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE 1
/* A job of two ranks that grows by known amounts in known regions and calls, and holds some of it in the end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMega = 1 << 20, kSmall = 1000, kBlocks = 5000 };

/* The library that is preloaded has them. */
__attribute__((weak)) void comity_tool_region_begin(const char* name);
__attribute__((weak)) void comity_tool_region_end(void);

static void begin(const char* name) {
  if (comity_tool_region_begin != NULL) comity_tool_region_begin(name);
}
static void end(void) {
  if (comity_tool_region_end != NULL) comity_tool_region_end();
}

static char* volatile kept[kBlocks]; /* else the compiler sees that nobody asks for it */

static char* allocated(size_t bytes) {
  char* volatile block = malloc(bytes);
  if (block == NULL) abort();
  return block;
}

/* Both have names of their own, which the program shows. */
__attribute__((noinline)) void hold_small_blocks(void) {
  for (int i = 0; i < kBlocks; ++i) kept[i] = memset(allocated(kSmall), 1, kSmall);
}
__attribute__((noinline)) void give_back_small_blocks(void) {
  for (int i = 0; i < kBlocks; ++i) free(kept[i]);
}
__attribute__((noinline)) char* hold_a_large_block(void) {
  char* volatile block = malloc(3 * kMega);
  if (block == NULL) abort();
  return memset(block, 1, 3 * kMega);
}

/* What the kernel itself tells the program that it has. */
static void tell_what_there_is(int rank) {
  long pss_kib = 0, uss_kib = 0, part_kib = 0;
  char line[256];
  FILE* const file = fopen("/proc/self/smaps_rollup", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "Pss: %ld", &part_kib) == 1) pss_kib = part_kib;
    if (sscanf(line, "Private_Clean: %ld", &part_kib) == 1 || sscanf(line, "Private_Dirty: %ld", &part_kib) == 1)
      uss_kib += part_kib;
  }
  if (file != NULL) fclose(file);
  printf("rank %d has pss %ld uss %ld\n", rank, pss_kib, uss_kib);
  fflush(stdout);
}

int main(int count, char** words) {
  char* block = NULL;
  MPI_Comm duplicate;
  MPI_Init(&count, &words);
  begin("setup");
  char* const buffer = memset(allocated(40 * kMega), 1, 40 * kMega);
  end();
  begin("exchange");
  char* const other = allocated(32 * kMega); /* it becomes resident inside MPI */
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(rank == 0 ? buffer : other, 32 * kMega, MPI_BYTE, 0, MPI_COMM_WORLD);
  end();
  MPI_Pcontrol(3);
  MPI_Alloc_mem(24 * kMega, MPI_INFO_NULL, &block);
  memset(block, 1, 24 * kMega);
  MPI_Pcontrol(1);
  begin("duplicates");
  for (int i = 0; i < 100; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  end();
  free(buffer);
  free(other);
  MPI_Free_mem(block);
  hold_small_blocks();
  give_back_small_blocks();
  hold_small_blocks();
  kept[0] = hold_a_large_block(); /* the one that stood there has no name any more */
  tell_what_there_is(rank);
  MPI_Finalize();
  return 0;
}
