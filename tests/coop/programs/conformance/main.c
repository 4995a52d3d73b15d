// SPDX-License-Identifier: BSD-3-Clause
// conformance SEED PROGRAMS [FIRST [told]]: so many programs of communication drawn from the seed, alike on all ranks.
// Rank 0 prints a line for each: its number, and the sum of what each rank got; told: each rank tells the sum after each
// round.
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

enum { kRounds = 3, kRanks = 64 };

static void (*const kKinds[])(int) = {blocking_sends,
                                      blocking_receive,
                                      exchanges,
                                      chain,
                                      same_envelope,
                                      derived_types,
                                      many_requests,
                                      persistent,
                                      cancelled,
                                      neighbours,
                                      errors,
                                      truncated,
                                      nonblocking_collectives,
                                      communicators,
                                      between_groups,
                                      large_counts,
                                      nobody,
                                      collectives_of_all,
                                      failures_of_many,
                                      arrivals,
                                      files,
                                      persistent_collectives,
                                      questions,
                                      own_requests,
                                      window_requests,
                                      window_epochs};

static int told_rounds;

static void run_program(uint64_t seed, int number) {
  uint64_t sums[kRanks] = {0};
  begin_script(mixed(seed) + (uint64_t)number);
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  for (int round = 0; round < kRounds; ++round) {
    const int kind = draw((int)(sizeof kKinds / sizeof kKinds[0]));
    kKinds[kind](round);
    if (told_rounds) {
      fprintf(stderr, "program %d rank %d round %d kind %d: %016llx\n", number, me, round, kind,
              (unsigned long long)sum_of_script());
    }
  }
  const uint64_t mine = sum_of_script();
  MPI_Gather(&mine, 1, MPI_UINT64_T, sums, 1, MPI_UINT64_T, 0, world);
  if (me == 0) {
    printf("%d", number);
    for (int i = 0; i < size; ++i) printf(" %016llx", (unsigned long long)sums[i]);
    printf("\n");
    fflush(stdout);
  }
  MPI_Comm_free(&world);
}

int main(int argc, char** argv) {
  static char kept[8 << 20];
  void* address;
  int bytes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const int programs = argc > 2 ? atoi(argv[2]) : 20, first = argc > 3 ? atoi(argv[3]) : 0;
  told_rounds = argc > 4;
  MPI_Buffer_attach(kept, sizeof kept);
  for (int number = first; number < first + programs; ++number) run_program(seed, number);
  MPI_Buffer_detach(&address, &bytes);
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
