// SPDX-License-Identifier: BSD-3-Clause
// What Comity and libquo make of MPI, they end: over hundreds of contexts and of all that is made with them, on a communicator that stays
// and on such as go. The leak sanitizer cannot tell: it leaves out what MPI allocates (tools/lsan.supp).
//   objects_test CONTEXTS USES     two ranks, on a made-up node of two packages
#include <comity/comity_mpi.h>
#include <mpi.h>
#include <quo.h>
#include <stdlib.h>
#include <string.h>

#include "counted_objects.h"

enum { kRanks = 2 };

static int contexts;  // so many that come and go alone
static int uses;      // and with all that is made from them

static int rank;
static int failures;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  printf("FAIL: rank %d: %s\n", rank, what);
}

static void expect_status(comity_status found, comity_status wanted, const char* what) {
  if (found == wanted) return;
  ++failures;
  printf("FAIL: rank %d: %s: %s (%s)\n", rank, what, comity_status_name(found), comity_last_error());
}

static void expect_ended(const Counts* before, const char* what) {
  for (int kind = 0; kind < kKinds; ++kind) {
    const long left = counts.live[kind] - before->live[kind];
    if (left == 0) continue;
    ++failures;
    printf("FAIL: rank %d: %ld %s more than before %s\n", rank, left, kKindNames[kind], what);
  }
}

static void free_if_any(MPI_Comm* communicator) {
  if (*communicator != MPI_COMM_NULL) MPI_Comm_free(communicator);
}

static comity_context* create(MPI_Comm communicator) {
  comity_context* context = NULL;
  expect_status(comity_context_create(communicator, &context), COMITY_OK, "create");
  return context;
}

// Of the machine a duplicate, of a package my own part, of a core none, for no rank is on one alone.
static void make_communicators(comity_context* context, MPI_Comm communicator) {
  const comity_type types[] = {COMITY_MACHINE, COMITY_PACKAGE, COMITY_CORE};
  const int sizes[] = {kRanks, 1, 0};
  for (int i = 0; i < 3; ++i) {
    MPI_Comm shared = MPI_COMM_NULL;
    expect_status(comity_context_communicator(context, communicator, types[i], &shared), COMITY_OK,
                  "communicator of a type");
    int size = 0;
    if (shared != MPI_COMM_NULL) MPI_Comm_size(shared, &size);
    expect(size == sizes[i], "another number of ranks shares an object");
    free_if_any(&shared);
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Group sharers = MPI_GROUP_NULL;
    expect_status(comity_context_sharers(context, communicator, types[i], &all, &sharers), COMITY_OK,
                  "sharers of a type");
    free_if_any(&all);
    if (sharers != MPI_GROUP_NULL) MPI_Group_free(&sharers);
  }
  MPI_Comm none = MPI_COMM_NULL;
  expect_status(comity_context_communicator(context, communicator, COMITY_L3, &none), COMITY_ERR_NOT_FOUND,
                "a type that is not there");
}

static void split(comity_context* context, MPI_Comm communicator) {
  comity_group* sharers = NULL;
  expect_status(comity_context_split(context, COMITY_PACKAGE, kRanks, COMITY_ASSIGN_PACKED, NULL, &sharers), COMITY_OK,
                "split");
  make_communicators(context, communicator);
  comity_group_free(&sharers);
  expect_status(comity_context_pop(context), COMITY_OK, "pop");
}

static void reorder(MPI_Comm communicator) {
  const int32_t extents[] = {kRanks};
  MPI_Comm cart = MPI_COMM_NULL;
  expect_status(comity_place_cart_create(communicator, 1, extents, NULL, NULL, COMITY_PLACE_WORST, &cart), COMITY_OK,
                "grid");
  free_if_any(&cart);
  const int32_t from[] = {rank};
  const int32_t to[] = {1 - rank};
  MPI_Comm graph = MPI_COMM_NULL;
  expect_status(comity_place_graph_create(communicator, 1, from, to, NULL, COMITY_PLACE_SUM, &graph), COMITY_OK,
                "graph");
  free_if_any(&graph);
  const int32_t beyond[] = {rank == 0 ? kRanks : 0};
  expect_status(comity_place_graph_create(communicator, rank == 0, from, beyond, NULL, COMITY_PLACE_WORST, &graph),
                COMITY_ERR_RANGE, "no such rank");
}

static void use_quo(MPI_Comm communicator) {
  QUO_context q = NULL;
  MPI_Comm node = MPI_COMM_NULL;
  expect(QUO_create(&q, communicator) == QUO_SUCCESS, "QUO_create");
  expect(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &node) == QUO_SUCCESS, "QUO_get_mpi_comm_by_type");
  free_if_any(&node);
  expect(QUO_free(q) == QUO_SUCCESS, "QUO_free");
}

static void use(MPI_Comm communicator) {
  comity_context* context = create(communicator);
  split(context, communicator);
  comity_context_free(&context);
  reorder(communicator);
  use_quo(communicator);
}

static void contexts_come_and_go(void) {
  const Counts before = counts;
  for (int i = 0; i < contexts; ++i) {
    comity_context* context = create(MPI_COMM_WORLD);
    comity_context_free(&context);
  }
  expect_ended(&before, "contexts on one communicator");
  expect(counts.made[kCommunicator] == before.made[kCommunicator], "a later create on a communicator has made another");
}

static void what_is_made_with_contexts_comes_and_goes(void) {
  const Counts before = counts;
  for (int i = 0; i < uses; ++i) use(MPI_COMM_WORLD);
  expect_ended(&before, "what was made with contexts");
}

// Every other one goes before its context.
static void communicators_come_and_go(void) {
  const Counts before = counts;
  for (int i = 0; i < uses; ++i) {
    MPI_Comm twin = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    if (i % 2 == 0) use(twin);
    comity_context* context = create(twin);
    MPI_Comm_free(&twin);
    comity_context_free(&context);
  }
  expect_ended(&before, "twins of a communicator");
}

// A count that sees nothing finds nothing left.
static void all_kinds_were_seen(void) {
  for (int kind = 0; kind < kKinds; ++kind) {
    if (counts.made[kind] > 0) continue;
    ++failures;
    printf("FAIL: rank %d: no %s were made\n", rank, kKindNames[kind]);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  contexts = atoi(argv[1]);
  uses = atoi(argv[2]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  use(MPI_COMM_WORLD);  // makes what there is once a process, and once a communicator
  contexts_come_and_go();
  what_is_made_with_contexts_comes_and_goes();
  communicators_come_and_go();
  all_kinds_were_seen();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
