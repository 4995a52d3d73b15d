// SPDX-License-Identifier: BSD-3-Clause
// rung CLASS: rank 1 falls asleep in a call of MPI again and again, and rank 0 does what its wait is over by, in one way: then it stays away
// from MPI for longer than any sleep, so that nothing else that it does can have ended the wait. With BESIDE_A_THREAD in the environment another
// thread of rank 1 waits in MPI all the time, as one that serves others does.
#define _GNU_SOURCE  // usleep, gettid
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "asleep.h"
#include "cases.h"

enum { kTimes = 12, kMost_us = 20000, kAway_us = 15000, kFew = 1, kLong = 1 << 15 };

static int out[kLong], in[kLong];
static int sleeper;  // its process
static MPI_Request request;
static MPI_Win window;
static MPI_Comm made;

static void send_synchronously(void) { MPI_Ssend(out, kFew, MPI_INT, 0, 1, MPI_COMM_WORLD); }
static void send_long(void) { MPI_Send(out, kLong, MPI_INT, 0, 1, MPI_COMM_WORLD); }
static void receive(void) { MPI_Recv(in, kFew, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static void wait(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
static void nothing(void) {}

static void act_send(void) { MPI_Send(out, kFew, MPI_INT, 1, 1, MPI_COMM_WORLD); }
static void act_start_send(void) { MPI_Isend(out, kFew, MPI_INT, 1, 1, MPI_COMM_WORLD, &request); }
static void act_receive(void) { MPI_Recv(in, kLong, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static void act_imrecv(void) {
  MPI_Message message;
  for (int found = 0; !found;) MPI_Improbe(1, 1, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, kFew, MPI_INT, &message, &request);
}
// The receive is there before the message.
static void prepare_receive(void) { MPI_Irecv(in, kFew, MPI_INT, 1, 1, MPI_COMM_WORLD, &request); }
static void act_test(void) {
  for (int over = 0; !over;) MPI_Test(&request, &over, MPI_STATUS_IGNORE);
}
static void act_get_status(void) {
  for (int over = 0; !over;) MPI_Request_get_status(request, &over, MPI_STATUS_IGNORE);
}

static void prepare_persistent(void) { MPI_Send_init(out, kFew, MPI_INT, 1, 1, MPI_COMM_WORLD, &request); }
static void act_start(void) { MPI_Start(&request); }
static void wait_and_free(void) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static void sleep_in_lock(void) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Win_unlock(0, window);
}
static void prepare_lock(void) { MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); }
static void act_unlock(void) { MPI_Win_unlock(0, window); }

// Rank 0 does its part of an operation on its window with whatever call of MPI it is in, and does not know of it.
enum { kSpread = 24 };
static void tell_that_it_is_over(void) {
  MPI_Win_flush(0, window);
  MPI_Send(out, 0, MPI_INT, 0, 2, MPI_COMM_WORLD);
}
static void sleep_in_fetch(void) {
  MPI_Fetch_and_op(out, in, MPI_INT, 0, 0, MPI_SUM, window);
  tell_that_it_is_over();
}
static void sleep_in_spread_sum(void) {
  MPI_Datatype every_other;
  MPI_Type_vector(kSpread, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Accumulate(out, kSpread, MPI_INT, 0, 0, 1, every_other, MPI_SUM, window);
  MPI_Type_free(&every_other);
  tell_that_it_is_over();
}
static void act_probe(void) {
  for (int found = 0; !found;) MPI_Iprobe(1, 2, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  MPI_Recv(in, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void prepare_over(void) { MPI_Irecv(in, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, &request); }
static void act_sleep(void) { MPI_Recv(in, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void start_barrier(void) { MPI_Ibarrier(MPI_COMM_WORLD, &request); }
static void sleep_in_started_barrier(void) {
  start_barrier();
  wait();
}
static void start_twin(void) { MPI_Comm_idup(MPI_COMM_WORLD, &made, &request); }
#if MPI_VERSION >= 4
static void start_twin_with_info(void) { MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made, &request); }
#endif
static void sleep_in_twin(void) {
  start_twin();
  wait();
  MPI_Comm_free(&made);
}
static void wait_for_twin(void) {
  wait();
  MPI_Comm_free(&made);
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void sum(void) { MPI_Allreduce(out, in, kFew, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void broadcast(void) { MPI_Bcast(out, kFew, MPI_INT, 0, MPI_COMM_WORLD); }

// What rank 0 does before rank 1 sleeps, by what it ends the sleep, and what is left to do.
static const struct {
  const char* name;
  void (*prepare)(void);
  void (*sleep)(void);
  void (*act)(void);
  void (*end)(void);
} kClasses[] = {{"send", nothing, receive, act_send, nothing},
                {"isend", nothing, receive, act_start_send, wait},
                {"start", prepare_persistent, receive, act_start, wait_and_free},
                {"receive", nothing, send_long, act_receive, nothing},
                {"imrecv", nothing, send_synchronously, act_imrecv, wait},
                {"test", prepare_receive, send_synchronously, act_test, nothing},
                {"get_status", prepare_receive, send_synchronously, act_get_status, wait},
                {"unlock", prepare_lock, sleep_in_lock, act_unlock, nothing},
                {"fetch_and_probe", nothing, sleep_in_fetch, act_probe, nothing},
                {"fetch_and_test", prepare_over, sleep_in_fetch, act_test, nothing},
                {"fetch_and_sleep", nothing, sleep_in_fetch, act_sleep, nothing},
                {"spread_sum_and_test", prepare_over, sleep_in_spread_sum, act_test, nothing},
                {"spread_sum_and_sleep", nothing, sleep_in_spread_sum, act_sleep, nothing},
                {"ibarrier", nothing, sleep_in_started_barrier, start_barrier, wait},
                {"idup", nothing, sleep_in_twin, start_twin, wait_for_twin},
#if MPI_VERSION >= 4
                {"idup_with_info", nothing, sleep_in_twin, start_twin_with_info, wait_for_twin},
#endif
                {"barrier", nothing, barrier, barrier, nothing},
                {"allreduce", nothing, sum, sum, nothing},
                {"bcast", nothing, broadcast, broadcast, nothing}};

static void run_class(const char* name) {
  for (size_t i = 0; i < sizeof kClasses / sizeof kClasses[0]; ++i) {
    if (strcmp(name, kClasses[i].name) != 0) continue;
    for (int time = 0; time < kTimes; ++time) {
      if (me == 0) {
        kClasses[i].prepare();
        MPI_Send(out, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        let_fall_asleep(sleeper, kMost_us);
        kClasses[i].act();
        usleep(kAway_us);
        kClasses[i].end();
        usleep(kAway_us / 5);  // rank 1 waits for the next go in any case
      } else if (me == 1) {
        MPI_Recv(in, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        kClasses[i].sleep();
      }
    }
    return;
  }
  expect(0, "there is no such class");
}

static MPI_Comm of_thread;
static volatile int beside;  // its number, once it runs
static void* wait_beside(void* unused) {
  beside = (int)gettid();
  MPI_Recv(NULL, 0, MPI_INT, 0, 0, of_thread, MPI_STATUS_IGNORE);
  return unused;
}
static void begin_beside(pthread_t* thread) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  expect(level == MPI_THREAD_MULTIPLE, "the environment does not ask for threads that call at once");
  MPI_Comm_dup(MPI_COMM_SELF, &of_thread);
  pthread_create(thread, NULL, wait_beside, NULL);
  while (beside == 0) usleep(kLooksApart_us);
  let_fall_asleep(beside, kMost_us);
}
static void end_beside(pthread_t thread) {
  MPI_Send(NULL, 0, MPI_INT, 0, 0, of_thread);
  pthread_join(thread, NULL);
  MPI_Comm_free(&of_thread);
}

int main(int argc, char** argv) {
  static int memory[2 * kSpread];
  const int mine = (int)getpid();
  int processes[2];
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(argc == 2 && size == 2, "rung CLASS, with two ranks");
  MPI_Allgather(&mine, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
  sleeper = processes[1];
  // Where a window is all are told of answers.
  const int has_epoch = strncmp(argv[1], "fetch", 5) == 0 || strncmp(argv[1], "spread", 6) == 0;
  const int has_window = has_epoch || strcmp(argv[1], "unlock") == 0;
  if (has_window) {
    // In memory of the MPI's own ranks of a node work on one another's without their help.
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  }
  if (has_epoch) MPI_Win_lock_all(0, window);
  const int is_beside = me == 1 && getenv("BESIDE_A_THREAD") != NULL;
  if (is_beside) begin_beside(&thread);
  run_class(argv[1]);
  if (is_beside) end_beside(thread);
  if (has_epoch) MPI_Win_unlock_all(window);
  if (has_window) MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
