/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose messages are known: in a ring of p ranks each sends to the next, in region "ring", rank + 1 messages of 8, 16,
 * 24, ... bytes, received alternately by wildcards and by name, blocking and not; and all reduce 3 times 24 bytes.
 * known kill: each rank then kills itself, without MPI_Finalize.
 * known flight: before all that, each rank has 20 sends to itself and their receives under way at once, WAYS times, and then
 * injects nothing for half a second, or as long as all until then took, which ends in region "quiet".
 * known kill visits: and before that kill, each rank is 3,600 times in region "visit".
 * known persist: before all that, each rank has 20 persistent sends to itself, their receives and one to nobody under way at
 * once, and frees them; known persist-few: 5 of each, and then what it does with flight.
 * known grow: instead of all killing themselves rank 0 touches memory until the kernel kills it, or a gibibyte.
 * known spawn: before all that, one rank more is started, which is told "child" and does what they do.
 * known dies: rank 0 kills itself right after MPI_Init, while the others make their first call.
 * known many: and after all that each rank is once in each of 400 regions with long names, with two calls in each that ask nobody.
 * known windows: before all that, each rank puts rank + 1 times 8, 16, 24, ... bytes into the next one's memory, and gets 2 times 24
 * bytes from the previous one's.
 * known neighbors: instead of the ring, which is empty then, twice: in a line (MPI_Cart_create) each rank gives both beside it rank + 1
 * doubles, and in a graph (MPI_Dist_graph_create_adjacent) the one two further on, round the end, 3.
 * known turns: before all that, the ranks are in region "turn" one after the other, TURNS times. */
#define _DEFAULT_SOURCE 1
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <comity/comity.h>

static void exchange(int rank, int size) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  double out[32] = {0}, in[32];
  MPI_Request request;
  int i;
  for (i = 0; i <= rank || i <= previous; ++i) {
    MPI_Request sent = MPI_REQUEST_NULL;
    if (i <= rank) MPI_Isend(out, i + 1, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sent);
    if (i <= previous) {
      const int from = i % 2 == 0 ? MPI_ANY_SOURCE : previous;
      if (i % 3 == 0) {
        MPI_Recv(in, 32, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Irecv(in, 32, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  }
}

static void exchange_with_neighbors(int rank, int size) {
  const int open = 0, after = (rank + 2) % size, before = (rank + size - 2 % size) % size;
  const int given[2] = {rank + 1, rank + 1}, taken[2] = {rank, rank + 2}, places[2] = {0, 32};
  double out[64] = {0}, in[64];
  MPI_Comm line, graph;
  int round;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &graph);
  for (round = 0; round < 2; ++round) {
    MPI_Request request;
    MPI_Neighbor_alltoallv(out, given, places, MPI_DOUBLE, in, taken, places, MPI_DOUBLE, line);
    MPI_Ineighbor_alltoall(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&graph);
  MPI_Comm_free(&line);
}

enum { TURNS = 40 };

static void take_turns(int rank, int size) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int turn;
  for (turn = 0; turn < TURNS; ++turn) {
    if (turn % size == rank) {
      if (turn > 0) MPI_Recv(NULL, 0, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      comity_region_begin("turn");
      comity_region_end();
      if (turn + 1 < TURNS) MPI_Send(NULL, 0, MPI_INT, next, 2, MPI_COMM_WORLD);
    }
  }
}

static void put_and_get(int rank, int size) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  double out[32] = {0}, in[32], *memory;
  MPI_Win window;
  int i;
  MPI_Win_allocate(sizeof out, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  for (i = 0; i <= rank; ++i) MPI_Put(out, i + 1, MPI_DOUBLE, next, 0, i + 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  for (i = 0; i < 2; ++i) MPI_Get(in, 3, MPI_DOUBLE, previous, 0, 3, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

enum { VISITS = 3600 };

static void visit(void) {
  int i;
  for (i = 0; i < VISITS; ++i) {
    comity_region_begin("visit");
    comity_region_end();
  }
}

enum { MANY = 400 };

static void visit_many(void) {
  char name[100], community[MPI_MAX_OBJECT_NAME];
  int i, length, flag;
  for (i = 0; i < MANY; ++i) {
    snprintf(name, sizeof name, "a region with a name of some length, as programs have them, number %d", i);
    comity_region_begin(name);
    MPI_Comm_get_name(MPI_COMM_WORLD, community, &length);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
    comity_region_end();
  }
}

enum { PAIRS = 20 };

enum { WAYS = 5 };

/* Each way completes all of them. */
static void complete(int way, MPI_Request* requests) {
  int indices[2 * PAIRS], done = 0, index, i;
  switch (way) {
    case 0:
      MPI_Waitall(PAIRS, requests, MPI_STATUSES_IGNORE);
      for (i = PAIRS; i < 2 * PAIRS; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      return;
    case 1:
      for (i = 0; i < 2 * PAIRS; ++i) MPI_Waitany(2 * PAIRS, requests, &index, MPI_STATUS_IGNORE);
      return;
    case 2:
      while (done != MPI_UNDEFINED) MPI_Waitsome(2 * PAIRS, requests, &done, indices, MPI_STATUSES_IGNORE);
      return;
    case 3:
      while (!done) MPI_Testall(2 * PAIRS, requests, &done, MPI_STATUSES_IGNORE);
      return;
    default:
      for (i = PAIRS; i < 2 * PAIRS; ++i) MPI_Request_free(&requests[i]);
      MPI_Waitall(2 * PAIRS, requests, MPI_STATUSES_IGNORE);
  }
}

static double begun_s; /* when MPI_Init had ended */

/* The longest gap by far, whatever a busy machine made of those before. */
static void stay_quiet(void) {
  const double now_s = MPI_Wtime(), taken_s = now_s - begun_s, least_s = 0.5;
  const double end_s = now_s + (taken_s > least_s ? taken_s : least_s);
  do {
    usleep(500000);
  } while (MPI_Wtime() < end_s);
}

static void fly(int rank) {
  static int in[PAIRS], out[PAIRS];
  MPI_Request requests[2 * PAIRS];
  int way, i;
  for (way = 0; way < WAYS; ++way) {
    for (i = 0; i < PAIRS; ++i) MPI_Irecv(&in[i], 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[i]);
    for (i = 0; i < PAIRS; ++i) MPI_Isend(&out[i], 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[PAIRS + i]);
    complete(way, requests);
  }
  comity_region_begin("quiet");
  stay_quiet();
  MPI_Sendrecv(out, 1, MPI_INT, rank, 4, in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  comity_region_end();
}

/* Messages of each rank to itself, so many, started together, twice; their requests are then given up. */
static void persist(int rank, int pairs) {
  static int in[PAIRS], out[PAIRS];
  MPI_Request requests[2 * PAIRS + 1], left[2 * PAIRS + 1];
  int round, i, done;
  for (i = 0; i < pairs; ++i) {
    MPI_Recv_init(&in[i], 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[i], 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &requests[pairs + i]);
  }
  MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[2 * pairs]);
  MPI_Waitall(2 * pairs + 1, requests, MPI_STATUSES_IGNORE); /* nothing is started */
  for (round = 0; round < 2; ++round) {
    MPI_Startall(2 * pairs, requests);
    MPI_Start(&requests[2 * pairs]);
    memcpy(left, requests, sizeof left);
    for (i = 0; i < 2 * pairs + 1; ++i) {
      if (round == 0) MPI_Waitany(2 * pairs + 1, left, &done, MPI_STATUS_IGNORE);
    }
    if (round == 1) MPI_Waitall(2 * pairs + 1, requests, MPI_STATUSES_IGNORE);
  }
  for (i = 0; i < 2 * pairs + 1; ++i) MPI_Request_free(&requests[i]);
}

static void spawn(char* program) {
  char word[] = "child", *words[] = {word, NULL};
  MPI_Comm others;
  MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
  MPI_Comm_disconnect(&others);
}

static void leave_parents(void) {
  MPI_Comm parents;
  MPI_Comm_get_parent(&parents);
  MPI_Comm_disconnect(&parents);
}

static void grow(void) {
  const size_t piece_bytes = (size_t)16 << 20;
  int pieces;
  for (pieces = 0; pieces < 64; ++pieces) {
    static char* volatile piece; /* or the compiler sees that nobody reads it, and takes none */
    piece = malloc(piece_bytes);
    if (piece == NULL) return;
    memset(piece, 1, piece_bytes);
  }
}

static void die_first(void) {
  const char* const open_mpi = getenv("OMPI_COMM_WORLD_RANK");
  const char* const mpich = getenv("PMI_RANK");
  if (strcmp(open_mpi != NULL ? open_mpi : mpich != NULL ? mpich : "0", "0") == 0) kill(getpid(), SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size, i;
  double mine[3] = {0}, sum[3];
  MPI_Init(&argc, &argv);
  begun_s = MPI_Wtime();
  if (argc > 1 && strcmp(argv[1], "dies") == 0) die_first();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "spawn") == 0) spawn(argv[0]);
  if (argc > 1 && strcmp(argv[1], "child") == 0) leave_parents();
  if (argc > 1 && strcmp(argv[1], "turns") == 0) take_turns(rank, size);
  if (argc > 1 && strcmp(argv[1], "flight") == 0) fly(rank);
  if (argc > 1 && strcmp(argv[1], "persist") == 0) persist(rank, PAIRS);
  if (argc > 1 && strcmp(argv[1], "persist-few") == 0) persist(rank, PAIRS / 4);
  if (argc > 1 && strcmp(argv[1], "persist-few") == 0) fly(rank);
  if (argc > 1 && strcmp(argv[1], "windows") == 0) put_and_get(rank, size);
  if (argc > 1 && strcmp(argv[1], "neighbors") == 0) exchange_with_neighbors(rank, size);
  comity_region_begin("ring");
  if (argc <= 1 || strcmp(argv[1], "neighbors") != 0) exchange(rank, size);
  comity_region_end();
  for (i = 0; i < 3; ++i) MPI_Allreduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "many") == 0) visit_many();
  if (argc > 1 && (strcmp(argv[1], "kill") == 0 || strcmp(argv[1], "grow") == 0)) {
    if (argc > 2 && strcmp(argv[2], "visits") == 0) visit();
    usleep(2200000); /* longer than the library waits before it writes down what it knows */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
    if (rank == 0) grow();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
