// SPDX-License-Identifier: BSD-3-Clause
// callbacks CASE...: calls from inside others, made by functions of the program that MPI calls, and calls that a rank is refused.
#define _DEFAULT_SOURCE  // usleep
#include <alloca.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

enum { kTimes = 20, kLate_us = 5000, kWords = 4 };

static double clock_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Nobody leaves it before all have come, of whom one is late.
static void expect_barrier(MPI_Comm comm, int is_late) {
  double last_s = 0;
  if (is_late) usleep(kLate_us);
  const double came_s = clock_s();
  MPI_Barrier(comm);
  const double left_s = clock_s();
  MPI_Allreduce(&came_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, comm);
  expect(left_s >= last_s, "a rank has left a barrier before all had come");
}

// Runs it inside a call of MPI, on this rank alone.
static int run(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)state;
  ((void (*)(void))value)();
  return MPI_SUCCESS;
}
static void end_with(MPI_Comm* alone, void (*what)(void)) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, run, &key, NULL);
  MPI_Comm_set_attr(*alone, key, (void*)what);
  MPI_Comm_free(alone);
  MPI_Comm_free_keyval(&key);
}
static void call_from_inside(void (*what)(void)) {
  MPI_Comm alone;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  end_with(&alone, what);
}

// What a library keeps with a communicator goes with it, and its handles come back as those of other ranks: of two pairs or of two others.
static MPI_Comm pair;
static MPI_Win window;
static MPI_File file;
static void free_pair(void) { MPI_Comm_free(&pair); }
static void free_window(void) { MPI_Win_free(&window); }
static void close_file(void) { MPI_File_close(&file); }

enum { kPaired = 4 };
static int split_pairs(int time) {
  const int other = time % 2 != 0 ? (me + 2) % kPaired : me ^ 1;
  MPI_Comm_split(MPI_COMM_WORLD, me >= kPaired ? MPI_UNDEFINED : time % 2 != 0 ? me % 2 : me / 2, me, &pair);
  return me < kPaired && me > other;
}

static void freed(void) {
  if (size < kPaired) return;
  for (int time = 0; time < kTimes; ++time) {
    MPI_Comm alone;  // is there first, and goes last: so the pair's handle is the one that the next pair has
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    const int is_late = split_pairs(time);
    if (pair != MPI_COMM_NULL) {
      expect_barrier(pair, is_late);
      expect_barrier(pair, is_late);
      end_with(&alone, free_pair);
    } else {
      MPI_Comm_free(&alone);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// One of a pair ends it inside, the other one by itself. One pair at a time, for Open MPI 4.1 mixes up the windows of two.
static void freed_windows(void) {
  if (size < kPaired) return;
  for (int time = 0; time < kTimes; ++time) {
    int memory[kWords] = {-1};
    const int is_late = split_pairs(time);
    const int has_window = me == 0 || (is_late && me == 1 + time % 2);
    if (pair != MPI_COMM_NULL && !has_window) MPI_Comm_free(&pair);
    if (has_window) {
      MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, pair, &window);
      MPI_Win_fence(0, window);
      if (is_late) usleep(kLate_us);
      MPI_Put(&time, 1, MPI_INT, is_late ? 0 : 1, 0, 1, MPI_INT, window);
      MPI_Win_fence(0, window);
      expect(memory[0] == time, "what was put has not come");
      if (is_late) {
        call_from_inside(free_window);
      } else {
        MPI_Win_free(&window);
      }
      MPI_Comm_free(&pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// One that a rank has alone waits for nobody, also where it has the handle of one that was freed. Returns whether it has.
static int write_alone(MPI_File before) {
  char path[4096];
  MPI_File own;
  snprintf(path, sizeof path, "%s/own.%d", getenv("TMPDIR"), me);
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  expect(MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, &own) == MPI_SUCCESS, "a file is not opened");
  const int is_same = own == before;
  const int code = MPI_File_write_at_all(own, 0, &me, 1, MPI_INT, MPI_STATUS_IGNORE);
  expect(code == MPI_SUCCESS, "a write fails");
  MPI_File_close(&own);
  return is_same;
}

static void freed_files(void) {
  int came_back = 0, all = 0;
  if (size < kPaired) return;
  for (int time = 0; time < kTimes; ++time) {
    char path[4096];
    split_pairs(time);
    if (pair != MPI_COMM_NULL) {
      int rank = 0;
      MPI_Comm_rank(pair, &rank);
      snprintf(path, sizeof path, "%s/written.%d", getenv("TMPDIR"), time % 2 != 0 ? me % 2 : me / 2);
      const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
      expect(MPI_File_open(pair, path, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS, "a file is not opened");
      const int code =
          MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof time, &time, 1, MPI_INT, MPI_STATUS_IGNORE);
      expect(code == MPI_SUCCESS, "a write fails");
      const MPI_File before = file;
      call_from_inside(close_file);
      if (rank == 0) came_back += write_alone(before);
      MPI_Comm_free(&pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(&came_back, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(all > 0, "no file has had the handle of one that was freed");
}

// One rank comes to a collective from inside another call, the others by themselves; then all by themselves.
static void barrier(void) { expect_barrier(MPI_COMM_WORLD, me == size - 1); }
static void sum(void) {
  int all = 0;
  MPI_Allreduce(&me, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(all == size * (size - 1) / 2, "a sum is wrong");
}
static int told;
static void broadcast(void) {
  int word = me == 0 ? told : -1;
  MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
  expect(word == told, "a broadcast is wrong");
}
static void gather(void) {
  int all[64];
  MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
  expect(me != size - 1 || all[size / 2] == size / 2, "other numbers were gathered");
}
static void parts(void) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &part);
  expect_barrier(part, 0);
  MPI_Comm_free(&part);
}
static MPI_Comm fresh;
static void first(void) { expect_barrier(fresh, 0); }

static void inside(void) {
  void (*const all[])(void) = {barrier, sum, broadcast, gather, parts};
  for (told = 0; told < 2 * size; ++told) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
      if (me == told % size) {
        call_from_inside(all[i]);
      } else {
        all[i]();
      }
      if (told % 3 == 0) all[i]();
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    if (me == told % size) {
      call_from_inside(first);
    } else {
      first();
    }
    expect_barrier(fresh, me == told % size);
    MPI_Comm_free(&fresh);
  }
}

// On the communicator of the call itself, where all are in it.
static int meet_in_copy(MPI_Comm comm, int key, void* state, void* value, void* copy, int* is_copied) {
  (void)key, (void)state, (void)value, (void)copy;
  expect_barrier(comm, me == size - 1);
  *is_copied = 0;
  return MPI_SUCCESS;
}
static void inside_its_own(void) {
  int key;
  MPI_Comm twin, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_create_keyval(meet_in_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(twin, key, NULL);
  for (int time = 0; time < kTimes; ++time) {
    MPI_Comm_dup(twin, &copy);
    expect_barrier(copy, me == 0);
    MPI_Comm_free(&copy);
    expect_barrier(twin, me == 0);
  }
  MPI_Comm_free(&twin);
  MPI_Comm_free_keyval(&key);
}

// A handler leaves a refused call by longjmp, and the next calls come from further down the stack.
static jmp_buf back;
static void jump(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  longjmp(back, 1);
}
static __attribute__((noinline)) void send_to_nobody(void) { MPI_Send(&me, 1, MPI_INT, size, 0, MPI_COMM_WORLD); }
static __attribute__((noinline)) void meet_further_down(int bytes) {
  volatile char* const between = alloca((size_t)bytes);
  memset((void*)between, 1, (size_t)bytes);
  for (int time = 0; time < kTimes; ++time) expect_barrier(MPI_COMM_WORLD, me == time % size);
}
static void left(void) {
  MPI_Errhandler jumps;
  MPI_Comm_create_errhandler(jump, &jumps);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumps);
  if (me == 0 && setjmp(back) == 0) {
    send_to_nobody();
    expect(0, "a message to nobody is not refused");
  }
  meet_further_down(100000);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&jumps);
}

// The first collective of a communicator is refused on rank 0, which then lets another one go on.
static void refused_first(void) {
  for (int way = 0; way < 3; ++way) {
    MPI_Comm twin;
    int got = 0, all = 0;
    float number = 1, none;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
    if (me == 0) {
      MPI_Datatype type;
      MPI_Type_contiguous(2, MPI_INT, &type);
      const int code = way == 0   ? MPI_Allreduce(&number, &none, 1, MPI_FLOAT, MPI_BAND, twin)
                       : way == 1 ? MPI_Allgather(&number, 1, type, &all, 1, type, twin)  // which is not committed
                                  : MPI_Bcast(&number, 1, MPI_FLOAT, size, twin);
      expect(code != MPI_SUCCESS, "a wrong call is not refused");
      MPI_Type_free(&type);
      for (int rank = 1; rank < size; ++rank) MPI_Send(&rank, 1, MPI_INT, rank, way, MPI_COMM_WORLD);
    } else if (me == 1) {
      MPI_Recv(&got, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&me, &all, 1, MPI_INT, MPI_SUM, twin);
    expect(all == size * (size - 1) / 2, "a sum is wrong");
    if (me > 1) MPI_Recv(&got, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect_barrier(twin, me == way);
    MPI_Comm_free(&twin);
  }
}

// Each rank is refused a call that all have to come to, one rank after the other. What is wrong is the type, the operation, both together, what
// is to be made, or, which Open MPI does not look at, the buffers.
#ifdef OPEN_MPI
enum { kRefusals = 4 };
#else
enum { kRefusals = 5 };
#endif
static int be_refused(int way, MPI_Comm comm) {
  const int too_many = size + 1, is_periodic = 0;
  float number = 1, none = 0;
  MPI_Datatype uncommitted;
  MPI_Comm made;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  const int code = way == 0   ? MPI_Allgather(&me, 1, uncommitted, &none, 1, uncommitted, comm)
                   : way == 1 ? MPI_Allreduce(&number, &none, 1, MPI_FLOAT, MPI_REPLACE, comm)
                   : way == 2 ? MPI_Reduce_scatter_block(&number, &none, 1, MPI_FLOAT, MPI_BAND, comm)
                   : way == 3 ? MPI_Cart_create(comm, 1, &too_many, &is_periodic, 0, &made)
                              : MPI_Allreduce(&number, &number, 1, MPI_FLOAT, MPI_SUM, comm);
  MPI_Type_free(&uncommitted);
  return code;
}
static void refused_in_turn(void) {
  for (int way = 0; way < kRefusals; ++way) {
    MPI_Comm twin;
    int got = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
    MPI_Barrier(twin);
    if (me > 0) MPI_Recv(&got, 1, MPI_INT, me - 1, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(be_refused(way, twin) != MPI_SUCCESS, "a wrong call is not refused");
    if (me + 1 < size) MPI_Send(&me, 1, MPI_INT, me + 1, way, MPI_COMM_WORLD);
    expect_barrier(twin, me == 0);
    MPI_Comm_free(&twin);
  }
}

// One rank is refused it alone, and no barrier of the others ends for that.
static void refused_alone(void) {
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
  MPI_Barrier(twin);
  for (int way = 0; way < 3; ++way) {
    if (me == 0) expect(be_refused(way, twin) != MPI_SUCCESS, "a wrong call is not refused");
    expect_barrier(twin, me == 0);
  }
  MPI_Comm_free(&twin);
}

// Receives that the library refuses at once, though nothing has come.
static int errors_heard;
static void hear(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++errors_heard;
}
static void expect_refused(int is_heard, void* buffer, MPI_Datatype type) {
  int word = 1;
  const int heard = errors_heard;
  const int received = MPI_Recv(buffer, 1, type, after(1), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int exchanged =
      MPI_Sendrecv(&word, 1, MPI_INT, after(1), 3, buffer, 1, type, after(1), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  expect(is_heard || (received != MPI_SUCCESS && exchanged != MPI_SUCCESS), "a wrong receive is not refused");
  expect(errors_heard == heard + 2 * is_heard, "a handler does not hear of each error once");
}
static void refused_receives(void) {
  int words[kWords], found = 0;
  MPI_Errhandler hears;
  MPI_Datatype type;
  MPI_Comm_create_errhandler(hear, &hears);
  for (int way = 0; way < 2; ++way) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, way == 0 ? MPI_ERRORS_RETURN : hears);
    MPI_Type_contiguous(2, MPI_INT, &type);
    expect_refused(way, words, type);
#ifndef OPEN_MPI  // which takes it
    MPI_Type_commit(&type);
    expect_refused(way, NULL, type);
#endif
    MPI_Type_free(&type);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&hears);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  expect(!found, "a refused exchange has sent its message");
}

static const struct Case kCases[] = {{"freed", freed},
                                     {"freed_windows", freed_windows},
                                     {"freed_files", freed_files},
                                     {"inside", inside},
                                     {"inside_its_own", inside_its_own},
                                     {"left", left},
                                     {"refused_first", refused_first},
                                     {"refused_in_turn", refused_in_turn},
                                     {"refused_alone", refused_alone},
                                     {"refused_receives", refused_receives}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run_cases(kCases, sizeof kCases / sizeof kCases[0], argc - 1, argv + 1);
  MPI_Finalize();
  return 0;
}
