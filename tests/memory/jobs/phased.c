/* SPDX-License-Identifier: BSD-3-Clause */
/* A job of two ranks, of which one works in a wide phase and has most there; the other has most behind it. */
#include <comity/comity.h>
#include <comity/comity_mpi.h>
#include <mpi.h>
#include <stdlib.h>

enum { kMega = 1 << 20 };

/* The most is seen where the block is about to go. */
static void come_and_go(size_t bytes) {
  volatile char* const block = malloc(bytes); /* else the compiler sees that nobody reads what is written there */
  if (block == NULL) abort();
  for (size_t at = 0; at < bytes; at += 4096) block[at] = 1;
  free((void*)block);
}

int main(int count, char** words) {
  comity_context* context = NULL;
  int32_t selected = 0;
  MPI_Init(&count, &words);
  if (comity_context_create(MPI_COMM_WORLD, &context) != COMITY_OK) return 1;
  if (comity_region_begin("conduction") != COMITY_OK) return 1;
  if (comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected) != COMITY_OK) return 1;
  if (selected) come_and_go(64 * kMega);
  if (comity_context_leave(context) != COMITY_OK) return 1;
  if (!selected) come_and_go(32 * kMega);
  if (comity_region_end() != COMITY_OK) return 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (comity_context_free(&context) != COMITY_OK) return 1;
  MPI_Finalize();
  return 0;
}
