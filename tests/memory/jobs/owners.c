/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE 1
/* Jobs of two ranks whose memory is known. The word says which: "received", the program's buffers become resident inside MPI; "windows" and "window", the
   program touches what MPI has allocated; "shared", both touch a segment of MPI's that goes after a look at all pages; "nothing"; "duplicates", MPI grows; "threads", four threads allocate and call MPI; "aborted", the job is killed; "ended", rank 0 calls MPI_Abort and nobody has asked for
   anything to be written down, "left", all ranks call exit, "stopped", a handler of a signal does so that has stopped a look; "untouched", handlers of signals and the
   output's buffer are told. */
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMega = 1 << 20, kThreads = 4 };

static int rank;

static void* allocated(size_t bytes) {
  void* const block = malloc(bytes);
  if (block == NULL) abort();
  return block;
}

/* Rank 1 touches nothing of it itself. */
static void pass(int bytes, int tag) {
  char* const buffer = allocated((size_t)bytes);
  if (rank == 0) {
    memset(buffer, 1, (size_t)bytes);
    MPI_Send(buffer, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(buffer, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(buffer);
}

static void received(void) {
  for (int round = 0; round < 4; ++round) pass(64 * kMega, round);
  pass(300 * kMega, 10);
}

static void windows(void) {
  char* block = NULL;
  char* part = NULL;
  MPI_Win window;
  MPI_Alloc_mem(64 * kMega, MPI_INFO_NULL, &block);
  MPI_Win_allocate_shared(32 * kMega, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  memset(block, 1, 64 * kMega);
  memset(part, 1, 32 * kMega);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Free_mem(block);
}

/* Each rank touches its own part. */
static void window(void) {
  char* part = NULL;
  MPI_Win window;
  MPI_Win_allocate(64 * kMega, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  memset(part, 1, 64 * kMega);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

/* For a few samples of the record. */
static void idle(void) {
  for (int i = 0; i < 20; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(15000);
  }
}

static void shared(void) {
  char* part = NULL;
  MPI_Win window;
  MPI_Aint bytes = 0;
  int unit = 0;
  idle();
  MPI_Win_allocate_shared(rank == 0 ? 64 * kMega : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &part);
  memset(part + rank * 4, 1, (size_t)(64 * kMega - 4 * rank));
  idle();
  MPI_Pcontrol(2);
  idle();
  MPI_Win_free(&window);
  idle();
}

/* What the C library has handed out and not got back, by its own count. */
static size_t handed_out(void) {
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 count = mallinfo2();
#else
  const struct mallinfo count = mallinfo();
#endif
  return (size_t)count.uordblks + (size_t)count.hblkhd;
}

/* They are left. */
static void duplicates(void) {
  MPI_Comm duplicate;
  const size_t before = handed_out();
  for (int i = 0; i < 500; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  printf("rank %d: %zu bytes\n", rank, handed_out() - before);
}

static pthread_barrier_t all_have_theirs;

/* No block goes before all threads have theirs. */
static void* allocate_and_send(void* number) {
  const int tag = (int)(size_t)number;
  char** const blocks = allocated(1000 * sizeof(char*));
  for (int i = 0; i < 1000; ++i) blocks[i] = memset(allocated(4096), 1, 4096);
  pthread_barrier_wait(&all_have_theirs);
  for (int i = 0; i < 100; ++i) {
    MPI_Sendrecv_replace(blocks[i], 4096, MPI_BYTE, 1 - rank, tag, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 1000; ++i) free(blocks[i]);
  free(blocks);
  return NULL;
}

static void threads(void) {
  pthread_t all[kThreads];
  pthread_barrier_init(&all_have_theirs, NULL, kThreads);
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, allocate_and_send, (void*)i);
  for (size_t i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) printf("rank %d: level lost\n", rank);
}

/* What it has is written down, and then it is killed. */
static void aborted(void) {
  static char* volatile kept; /* else the compiler sees that nobody asks for it */
  kept = allocated(50 * kMega);
  memset(kept, 1, 50 * kMega);
  MPI_Pcontrol(2);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  for (;;) pause();
}

/* Nothing is written down because the program asks for it. Rank 0 ends the job, whose other ranks the launcher kills: they have told what they had a tenth
   of a second before. */
static void kept_until(int leaves) {
  static char* volatile kept;
  kept = allocated(70 * kMega);
  memset(kept, 1, 70 * kMega);
  free(kept);
  kept = allocated(50 * kMega);
  memset(kept, 1, 50 * kMega);
  MPI_Barrier(MPI_COMM_WORLD); /* no rank is killed before it is there */
  if (leaves || rank == 0) sleep(1);
  if (leaves) exit(0);
  if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  for (;;) pause();
}

static volatile sig_atomic_t stops_looks;

static void leave(int signal) {
  (void)signal;
  exit(0);
}

/* What libraries call that look at memory, before the C library's: a signal comes while they are at it. */
__attribute__((visibility("default"))) int mincore(void* start, size_t bytes, unsigned char* pages) {
  if (stops_looks) raise(SIGUSR1);
  return (int)syscall(SYS_mincore, start, bytes, pages);
}

/* Memory grows, so it is looked at. */
static void stopped(void) {
  signal(SIGUSR1, leave);
  MPI_Barrier(MPI_COMM_WORLD);
  stops_looks = 1;
  for (int i = 0; i < 200; ++i) {
    memset(allocated(kMega), 1, kMega);
    usleep(2000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Which signals have a handler, and how the output is buffered. */
static void untouched(void) {
  char line[256];
  FILE* const status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "SigCgt:", 7) == 0 || strncmp(line, "SigIgn:", 7) == 0 || strncmp(line, "SigBlk:", 7) == 0)
      printf("rank %d: %s", rank, line);
  }
  if (status != NULL) fclose(status);
  printf("rank %d: a buffer of %zu bytes, by line: %d\n", rank, __fbufsize(stdout), __flbf(stdout));
}

int main(int count, char** words) {
  const char* const word = count > 1 ? words[1] : "";
  const int wants_threads = strcmp(word, "threads") == 0;
  int provided = MPI_THREAD_SINGLE;
  if (wants_threads) {
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  } else {
    MPI_Init(&count, &words);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (wants_threads && provided == MPI_THREAD_MULTIPLE) threads();
  if (wants_threads && provided != MPI_THREAD_MULTIPLE) printf("level refused\n");
  if (strcmp(word, "received") == 0) received();
  if (strcmp(word, "windows") == 0) windows();
  if (strcmp(word, "window") == 0) window();
  if (strcmp(word, "shared") == 0) shared();
  if (strcmp(word, "duplicates") == 0) duplicates();
  if (strcmp(word, "aborted") == 0) aborted();
  if (strcmp(word, "untouched") == 0) untouched();
  if (strcmp(word, "ended") == 0) kept_until(0);
  if (strcmp(word, "left") == 0) kept_until(1);
  if (strcmp(word, "stopped") == 0) stopped();
  MPI_Finalize();
  return 0;
}
