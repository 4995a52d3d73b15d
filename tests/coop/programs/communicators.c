// SPDX-License-Identifier: BSD-3-Clause
// communicators CASE...: collectives on communicators that come and go, of two groups, and of processes of two jobs.
#define _DEFAULT_SOURCE  // usleep
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "asleep.h"
#include "cases.h"

enum { kMade = 300, kFew = 30, kLate_us = 20000 };

static const char* program;

static void expect_sum(MPI_Comm comm, const char* what) {
  int ranks = 0, rank = 0, sum = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  expect(sum == ranks * (ranks - 1) / 2, what);
}

// Handles come back, for communicators of other ranks than they were.
static void make_and_free(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Comm twin, part, late;
    MPI_Request request;
    int word = i;
    MPI_Comm_split(MPI_COMM_WORLD, (me + i) % (1 + i % 3), i % 2 == 0 ? me : -me, &part);
    MPI_Comm_dup(i % 2 == 0 ? MPI_COMM_WORLD : part, &twin);
    expect_sum(part, "the sum over a part is wrong");
    if (i % 7 == 0) {
      MPI_Comm_idup(twin, &late, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect_sum(late, "the sum over a late twin is wrong");
      MPI_Comm_free(&late);
    }
    MPI_Comm_free(&part);
    expect_sum(twin, "the sum over a twin is wrong");
    MPI_Bcast(&word, 1, MPI_INT, 0, twin);
    expect(word == i, "a broadcast of another time came");
    MPI_Comm_free(&twin);
  }
}

static void many(void) { make_and_free(kMade); }
static void few(void) { make_and_free(kFew); }  // where each costs a spinning MPI its time slice

// As many at once: more than the node has meeting places for.
static void at_once(void) {
  static MPI_Comm all[kMade];
  for (int i = 0; i < kMade; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &all[i]);
    expect_sum(all[i], "the sum over a twin is wrong");
  }
  for (int i = kMade - 1; i >= 0; --i) expect_sum(all[i], "the sum over one of many is wrong");
  for (int i = 0; i < kMade; ++i) MPI_Comm_free(&all[i]);
}

static void swap_over(MPI_Comm both, int upper) {
  MPI_Request request;
  int rank = 0, far = 0, sum = 0, near = 0;
  MPI_Comm_rank(both, &rank);
  MPI_Comm_size(both, &near);
  MPI_Comm_remote_size(both, &far);
  if (upper && rank == 0) usleep(10000);
  MPI_Barrier(both);
  const int word = upper ? 100 : 1;
  MPI_Allreduce(&word, &sum, 1, MPI_INT, MPI_SUM, both);  // of the other group
  expect(sum == far * (upper ? 1 : 100), "the sum of the other group is wrong");
  int told = upper ? 0 : 4711;
  MPI_Bcast(&told, 1, MPI_INT, upper ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), both);
  expect(told == 4711, "a broadcast to the other group is wrong");
  MPI_Ibarrier(both, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank < far && rank < near) {
    int other = -1;
    MPI_Sendrecv(&word, 1, MPI_INT, rank, 0, &other, 1, MPI_INT, rank, 0, both, MPI_STATUS_IGNORE);
    expect(other == (upper ? 1 : 100), "a message of the other group is wrong");
  }
}

static void two_groups(void) {
  MPI_Comm half, both, merged;
  if (size < 2) return;
  const int upper = me >= size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, me, &half);
  for (int time = 0; time < 10; ++time) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, time, &both);
    swap_over(both, upper);
    MPI_Intercomm_merge(both, upper, &merged);
    expect_sum(merged, "the sum over merged groups is wrong");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&both);
  }
  MPI_Comm_free(&half);
}

static void talk_to_family(MPI_Comm family, int upper) {
  MPI_Comm merged, twin;
  swap_over(family, upper);
  MPI_Intercomm_merge(family, upper, &merged);
  for (int i = 0; i < 20; ++i) {
    MPI_Comm_dup(merged, &twin);
    expect_sum(twin, "the sum over parents and children is wrong");
    MPI_Comm_free(&twin);
  }
  MPI_Comm_free(&merged);
  swap_over(family, upper);
  MPI_Comm_disconnect(&family);
}

static void spawn(void) {
  MPI_Comm children;
  char* words[] = {"child", NULL};
  MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  talk_to_family(children, 0);
}

static int be_a_child(void) {
  MPI_Comm parents;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_get_parent(&parents);
  expect(parents != MPI_COMM_NULL, "a child has no parents");
  expect_sum(MPI_COMM_WORLD, "the sum over the children is wrong");
  talk_to_family(parents, 1);
  MPI_Finalize();
  return 0;
}

// Processes that have come together over a port: each rank with the one after it, one asleep in MPI_Comm_accept.
static void connected(void) {
  char port[MPI_MAX_PORT_NAME];
  MPI_Comm other;
  const int partner = me ^ 1, connects = me & 1, mine = (int)getpid();
  if (partner >= size) return;
  if (connects) {
    int accepts = 0;
    MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&accepts, 1, MPI_INT, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    let_fall_asleep(accepts, kLate_us);
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  } else {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
    MPI_Send(&mine, 1, MPI_INT, partner, 0, MPI_COMM_WORLD);
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    MPI_Close_port(port);
  }
  talk_to_family(other, connects);
}

// Two jobs, each started by a launcher of its own: one tells its port, and its first process, in a file of TMPDIR, which the other looks for.
struct Path {
  char text[4096];
};
static struct Path path_of_port(const char* end) {
  struct Path path;
  snprintf(path.text, sizeof path.text, "%s/port%s", getenv("TMPDIR"), end);
  return path;
}

static void tell_port(const char* port) {
  const struct Path begun = path_of_port(".begun"), whole = path_of_port("");
  FILE* const file = fopen(begun.text, "w");
  expect(file != NULL, "a port is not told");
  fprintf(file, "%s\n%d\n", port, (int)getpid());
  fclose(file);
  rename(begun.text, whole.text);
}

static void accepting(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm other;
  if (me == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    tell_port(port);
  }
  MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
  talk_to_family(other, 0);
  if (me == 0) MPI_Close_port(port);
}

static void connecting(void) {
  char port[MPI_MAX_PORT_NAME] = "", number[32] = "";
  const struct Path path = path_of_port("");
  MPI_Comm other;
  FILE* file = NULL;
  while (me == 0 && (file = fopen(path.text, "r")) == NULL) usleep(10000);
  if (file != NULL) {
    const int is_told = fgets(port, sizeof port, file) != NULL && fgets(number, sizeof number, file) != NULL;
    expect(is_told, "a port is empty");
    port[strcspn(port, "\n")] = '\0';
    fclose(file);
    let_fall_asleep(atoi(number), 5 * kLate_us);
  }
  MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
  talk_to_family(other, 1);
}

static const struct Case kCases[] = {{"many", many},           {"few", few},
                                     {"at_once", at_once},     {"two_groups", two_groups},
                                     {"spawn", spawn},         {"connected", connected},
                                     {"accepting", accepting}, {"connecting", connecting}};

int main(int argc, char** argv) {
  program = argv[0];
  MPI_Init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "child") == 0) return be_a_child();
  run_cases(kCases, sizeof kCases / sizeof kCases[0], argc - 1, argv + 1);
  MPI_Finalize();
  return 0;
}
