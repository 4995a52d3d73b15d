/* SPDX-License-Identifier: BSD-3-Clause */
/* A job whose memory comes in ways that no look sees whole: the word says which. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MEGA ((size_t)1 << 20)
#define BLOCKS 10000
#define EACH 48000
#define HELD 5000

static void* blocks[BLOCKS];

static void touch(volatile char* block, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 4096) block[at] = 1;
}

/* Small blocks of which nobody touches more than the ends, for some samples of the record; then all of them, where asked to. */
static void small_blocks(int touches) {
  for (int i = 0; i < BLOCKS; ++i) blocks[i] = malloc(EACH);
  for (int i = 0; i < 40; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(10000);
  }
  for (int i = 0; touches && i < BLOCKS; ++i) touch(blocks[i], EACH);
  for (int i = 0; i < 40; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(10000);
  }
}

static void block_comes_and_goes(void) {
  char* const block = malloc(200 * MEGA);
  touch(block, 200 * MEGA);
  free(block);
}

static double begin_s; /* of the last call before it comes */

/* Past all that stands before mmap, and soon over. */
static void pages_come_and_go(void) {
  char* const pages = (char*)syscall(SYS_mmap, NULL, 64 * MEGA, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  syscall(SYS_munmap, pages, 64 * MEGA);
  printf("hidden for %.3f s\n", MPI_Wtime() - begin_s);
}

/* It comes and goes between two calls of MPI. */
static void spike(void (*comes_and_goes)(void)) {
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(110000);
  begin_s = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD); /* behind it a sample is taken, and a tenth of a second none */
  comes_and_goes();
  usleep(50000);
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(50000);
  MPI_Barrier(MPI_COMM_WORLD);
}

static char statics[200 * MEGA];

static void phase(void) {
  for (int i = 0; i < 10; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(30000);
  }
}

/* A block comes and goes, and then static memory comes, in a level of its own; nobody asks for a look at all pages. */
static void block_and_statics(void) {
  phase();
  char* const block = malloc(100 * MEGA);
  touch(block, 100 * MEGA);
  phase();
  free(block);
  phase();
  MPI_Pcontrol(5);
  touch(statics, 200 * MEGA);
  phase();
  MPI_Pcontrol(1);
  phase();
}

static void* use_much_stack(void* unused) {
  volatile char frame[100 * MEGA];
  touch(frame, sizeof frame);
  usleep(200000);
  return unused;
}

/* A thread whose stack is most of all, and that is not there at the end. */
static void stack_comes_and_goes(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * MEGA);
  pthread_create(&thread, &attributes, use_much_stack, NULL);
  phase();
  pthread_join(thread, NULL);
  phase();
}

/* Of two ranks: blocks of the program's become resident inside receives that come one right after the other, and remain. */
static void received(void) {
  static const size_t sizes[] = {100, 120, 130, 6, 200};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) {
    char* const block = malloc(sizes[i] * MEGA);
    blocks[i] = block;
    if (rank == 0) {
      memset(block, 1, sizes[i] * MEGA);
      MPI_Send(block, (int)(sizes[i] * MEGA), MPI_CHAR, 1, i, MPI_COMM_WORLD);
      free(block);
      blocks[i] = NULL;
    } else {
      MPI_Recv(block, (int)(sizes[i] * MEGA), MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

/* In the symbol table of a program that exports it. */
__attribute__((noinline, visibility("default"))) void hold_before_the_run(void);
void hold_before_the_run(void) {
  blocks[0] = malloc(300 * MEGA);
  for (int i = 1; i <= HELD; ++i) blocks[i] = memset(malloc(1000), 1, 1000);
}

/* Rank 1 computes, calls nothing, and is killed: pages of a block that was there before become resident. By itself, or by the launcher when rank 0 has
   called MPI_Abort. */
static void killed_while_it_computes(int by_abort) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const block = blocks[0];
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; rank == 1 && i < 30; ++i) {
    touch(block + (size_t)i * 10 * MEGA, 10 * MEGA);
    usleep(20000);
  }
  for (int i = 0; rank == 1 && i < 60; ++i) usleep(10000);
  if (rank == 1 && !by_abort) kill(getpid(), SIGKILL);
  if (rank == 0 && by_abort) {
    for (int i = 0; i < 120; ++i) usleep(10000);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  while (by_abort) pause();
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char** words) {
  const int is_killed = strcmp(words[1], "killed") == 0;
  const int is_abandoned = strcmp(words[1], "abandoned") == 0;
  if (is_killed || is_abandoned) hold_before_the_run();
  MPI_Init(&count, &words);
  if (strcmp(words[1], "untouched") == 0) small_blocks(0);
  if (strcmp(words[1], "touched") == 0) small_blocks(1);
  if (strcmp(words[1], "spike") == 0) spike(block_comes_and_goes);
  if (strcmp(words[1], "hidden") == 0) spike(pages_come_and_go);
  if (strcmp(words[1], "statics") == 0) block_and_statics();
  if (strcmp(words[1], "stack") == 0) stack_comes_and_goes();
  if (strcmp(words[1], "received") == 0) received();
  if (is_killed || is_abandoned) killed_while_it_computes(is_abandoned);
  MPI_Finalize();
  for (int i = 0; i < BLOCKS; ++i) free(blocks[i]);
  return 0;
}
