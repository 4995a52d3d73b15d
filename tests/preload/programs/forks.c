/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread begins a region, and is held inside by the program's own operator new; meanwhile the main thread forks a child, which is in regions too. */
#define _DEFAULT_SOURCE 1
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <comity/region.h>

enum { kPatience_s = 10 };

static atomic_int holds_next; /* the next operator new of that thread */
static atomic_int is_held;
static atomic_int may_go_on;
static _Thread_local int is_that_thread;

/* C++'s operator new, before the runtime's. */
void* _Znwm(size_t bytes);
__attribute__((visibility("default"))) void* _Znwm(size_t bytes) {
  if (is_that_thread && atomic_exchange(&holds_next, 0)) {
    atomic_store(&is_held, 1);
    while (!atomic_load(&may_go_on)) usleep(100);
  }
  void* const block = malloc(bytes == 0 ? 1 : bytes);
  if (block == NULL) abort();
  return block;
}

/* Its name is too long for the room inside a string. */
static void* be_in_region(void* nothing) {
  comity_region_begin("a region that this thread was in before");
  comity_region_end();
  is_that_thread = 1;
  atomic_store(&holds_next, 1);
  comity_region_begin("a region whose name takes a block of its own");
  comity_region_end();
  return nothing;
}

static void live_as_child(void) {
  alarm(kPatience_s);
  for (int i = 0; i < 3; ++i) {
    comity_region_begin("a region of the child's");
    comity_region_end();
  }
  _exit(0);
}

int main(int argc, char** argv) {
  pthread_t thread;
  int status = -1;
  MPI_Init(&argc, &argv);
  comity_region_begin("main");
  pthread_create(&thread, NULL, be_in_region, NULL);
  while (!atomic_load(&is_held)) usleep(100);
  const pid_t child = fork();
  if (child == 0) live_as_child();
  waitpid(child, &status, 0);
  puts(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "the child went on" : "the child waited");
  atomic_store(&may_go_on, 1);
  pthread_join(thread, NULL);
  comity_region_end();
  MPI_Finalize();
  return 0;
}
