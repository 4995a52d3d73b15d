/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE 1
/* A job of two ranks whose calls of MPI stand on a fiber's stack, painted before: how much of it each kind of call takes at the most. Between two
 * calls there is time enough for the next one to be looked behind, and memory comes that nobody asked for. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { kStack = 1 << 20, kGuard = 1 << 20, kPaint = 0x5a, kRounds = 60, kGrowth = 1 << 19 };

static int rank;
static char untouched[kRounds][kGrowth];

static void nothing(void) {}

static void send_and_receive(void) {
  double words[4] = {0};
  if (rank == 0) {
    MPI_Send(words, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(words, 4, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(words, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(words, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
}

static void exchange(void) {
  double mine = rank, other = 0;
  MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 1 - rank, 0, &other, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void reduce(void) {
  double mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void duplicate(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
}

static void make_type(void) {
  MPI_Datatype type;
  MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&type);
}

static void allocate(void) {
  void* block = NULL;
  MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &block);
  MPI_Free_mem(block);
}

static const struct {
  const char* name;
  void (*run)(void);
} kSteps[] = {{"nothing", nothing},     {"send_and_receive", send_and_receive},
              {"exchange", exchange},   {"reduce", reduce},
              {"duplicate", duplicate}, {"make_type", make_type},
              {"allocate", allocate}};
enum { kCount = sizeof kSteps / sizeof kSteps[0] };

static ucontext_t back;
static int step_of_fiber;

static void run_step(void) { kSteps[step_of_fiber].run(); }

static long deepest(unsigned char* stack, int step) {
  ucontext_t fiber;
  long low = 0;
  memset(stack, kPaint, kStack);
  if (getcontext(&fiber) != 0) abort();
  fiber.uc_stack.ss_sp = stack;
  fiber.uc_stack.ss_size = kStack;
  fiber.uc_link = &back;
  step_of_fiber = step;
  makecontext(&fiber, run_step, 0);
  if (swapcontext(&back, &fiber) != 0) abort();
  while (low < kStack && stack[low] == kPaint) ++low;
  return kStack - low;
}

int main(int count, char** words) {
  long most[kCount] = {0};
  unsigned char* const memory = mmap(NULL, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kGuard, PROT_NONE) != 0) return 1;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < kRounds; ++round) {
    for (int step = 0; step < kCount; ++step) {
      usleep(2000);
      memset(untouched[round] + step * 65536L, 1, 65536);
      const long bytes = deepest(memory + kGuard, step);
      if (bytes > most[step]) most[step] = bytes;
    }
  }
  for (int step = 1; step < kCount; ++step) printf("rank %d %s %ld\n", rank, kSteps[step].name, most[step] - most[0]);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
