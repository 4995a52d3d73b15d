// SPDX-License-Identifier: BSD-3-Clause
// rung CLASS: rank 1 falls asleep in a call of MPI again and again, and rank 0 does what its wait is over by, in one way: then it stays away
// from MPI for longer than any sleep, so that nothing else that it does can have ended the wait.
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
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

int main(int argc, char** argv) {
  int* memory;
  const int mine = (int)getpid();
  int processes[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(argc == 2 && size == 2, "rung CLASS, with two ranks");
  MPI_Allgather(&mine, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
  sleeper = processes[1];
  const int has_window = strcmp(argv[1], "unlock") == 0;  // where one is, debts are never forgotten
  if (has_window) {
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  }
  run_class(argv[1]);
  if (has_window) MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
