/* SPDX-License-Identifier: BSD-3-Clause */
/* Seats, orders and boxes on a machine of 2 packages x 2 NUMA nodes x 4 cores x 2 PUs, which this is not. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <comity/place.h>

#include <stdlib.h>

#include "expect.h"

#define NOWHERE 77

static comity_place_seat seat_on_core(comity_context* context, int32_t core) {
  comity_place_seat seat = {0};
  expect_status("push a core", comity_context_push(context, COMITY_CORE, core), COMITY_OK);
  expect_status("seat", comity_context_seat(context, &seat), COMITY_OK);
  expect_status("pop", comity_context_pop(context), COMITY_OK);
  return seat;
}

static void a_seat_tells_what_encloses_the_binding(comity_context* context) {
  uint64_t node = 0;
  comity_place_seat seat = {0};
  expect_status("node", comity_context_node_id(context, &node), COMITY_OK);
  expect_status("seat, unbound", comity_context_seat(context, &seat), COMITY_OK);
  expect_int("the node's number", seat.node == node, 1);
  expect_int("unbound: no package", seat.package, -1);
  seat = seat_on_core(context, 13);
  expect_int("core 13: first PU", seat.position, 26);
  expect_int("core 13: package", seat.package, 1);
  expect_int("core 13: NUMA node", seat.numa, 3);
  expect_int("this machine has no L3", seat.l3, -1);
  expect_failure("seat without a place", comity_context_seat(context, NULL), COMITY_ERR_ARGUMENT, "seat");
  expect_failure("seat without a context", comity_context_seat(NULL, &seat), COMITY_ERR_ARGUMENT, "null");
}

/* Eight processes, dealt to the two packages in turn, are a chain: each package gets half of it. */
static void a_chain_is_cut_once(comity_context* context) {
  enum { kRanks = 8 };
  comity_place_seat seats[kRanks];
  const int32_t extents[3] = {1, kRanks, 1};
  int32_t from[kRanks - 1];
  int32_t to[kRanks - 1];
  int32_t by_grid[kRanks];
  int32_t by_graph[kRanks];
  for (int32_t i = 0; i < kRanks; ++i) seats[i] = seat_on_core(context, i % 2 * 8 + i / 2);
  for (int32_t i = 0; i + 1 < kRanks; ++i) {
    from[i] = i + 1;
    to[i] = i;
  }
  expect_status("grid", comity_place_grid(kRanks, seats, 3, extents, NULL, NULL, COMITY_PLACE_WORST, by_grid),
                COMITY_OK);
  expect_status("graph", comity_place_graph(kRanks, seats, kRanks - 1, from, to, NULL, COMITY_PLACE_WORST, by_graph),
                COMITY_OK);
  for (int32_t i = 0; i < kRanks; ++i) {
    expect_int("grid: same half as the first of the package", by_grid[i] / 4, by_grid[i % 2] / 4);
    expect_int("graph: same half as the first of the package", by_graph[i] / 4, by_graph[i % 2] / 4);
  }
}

/* The order found is proven: a chain of eight on two packages of one node crosses once. */
static void an_order_comes_with_its_bound(comity_context* context) {
  enum { kRanks = 8 };
  comity_place_seat seats[kRanks];
  const int32_t extents[1] = {kRanks};
  int32_t order[kRanks];
  comity_place_figures node = {0};
  comity_place_figures package = {0};
  expect_failure("none yet", comity_place_found(0, &node), COMITY_ERR_NOT_FOUND, "0 levels");
  for (int32_t i = 0; i < kRanks; ++i) seats[i] = seat_on_core(context, i % 2 * 8 + i / 2);
  expect_status("grid", comity_place_grid(kRanks, seats, 1, extents, NULL, NULL, COMITY_PLACE_TIME, order), COMITY_OK);
  expect_status("nodes", comity_place_found(0, &node), COMITY_OK);
  expect_status("packages", comity_place_found(1, &package), COMITY_OK);
  expect_int("nodes first", node.type, COMITY_MACHINE);
  expect_int("then packages", package.type, COMITY_PACKAGE);
  expect_int("nothing crosses the node", node.sum + node.bound_sum, 0);
  expect_int("before", package.before_sum * 10 + package.before_worst, 77);
  expect_int("found", package.sum * 10 + package.worst, 11);
  expect_int("no order has less", package.bound_sum * 10 + package.bound_worst, 11);
  expect_int("no gap", package.gap_sum == 0 && package.gap_worst == 0 && package.gap_time == 0, 1);
  expect_int("time: a tenth of a node's", package.time > 0.099 && package.time < 0.101, 1);
  expect_failure("no such level", comity_place_found(node.levels, &node), COMITY_ERR_NOT_FOUND, "levels");
  expect_failure("below 0", comity_place_found(-1, &node), COMITY_ERR_RANGE, "-1");
  expect_failure("null", comity_place_found(0, NULL), COMITY_ERR_ARGUMENT, "figures");
  expect_status("told by another", comity_place_report(1, &package), COMITY_OK);
  expect_status("its first", comity_place_found(0, &node), COMITY_OK);
  expect_int("as told", node.type == COMITY_PACKAGE && node.sum == 1, 1);
  expect_failure("its second", comity_place_found(1, &node), COMITY_ERR_NOT_FOUND, "1 levels");
  expect_failure("too many", comity_place_report(COMITY_PLACE_LEVELS + 1, &package), COMITY_ERR_RANGE, "levels");
  expect_failure("null", comity_place_report(1, NULL), COMITY_ERR_ARGUMENT, "figures");
}

/* Four by four on two nodes of eight: a half crosses 4 faces, and the 6 diagonals beside them. */
static void diagonals_and_costs_are_settings(void) {
  enum { kRanks = 16 };
  comity_place_seat seats[kRanks];
  const int32_t extents[2] = {4, 4};
  int32_t order[kRanks];
  comity_place_figures found = {0};
  for (int32_t i = 0; i < kRanks; ++i) seats[i] = (comity_place_seat){(uint64_t)(i % 2), i / 2, i / 4 % 2, -1, -1, -1};
  setenv("COMITY_PLACE_DIAGONAL", "1", 1);
  setenv("COMITY_PLACE_COSTS", "node=2,package=0,l3=7", 1);
  expect_status("set", comity_place_grid(kRanks, seats, 2, extents, NULL, NULL, COMITY_PLACE_TIME, order), COMITY_OK);
  expect_status("found", comity_place_found(0, &found), COMITY_OK);
  expect_int("faces and diagonals", found.sum, 4 + 6);
  expect_int("twice that, and nothing of packages", found.time == 2 * (4 + 6), 1);
  setenv("COMITY_PLACE_COSTS", "node=2,rack=3", 1);
  expect_failure("costs", comity_place_grid(kRanks, seats, 2, extents, NULL, NULL, COMITY_PLACE_TIME, order),
                 COMITY_ERR_OPTION, "rack=3");
  setenv("COMITY_PLACE_COSTS", "node=0,package=0", 1);
  expect_failure("nothing", comity_place_grid(kRanks, seats, 2, extents, NULL, NULL, COMITY_PLACE_TIME, order),
                 COMITY_ERR_OPTION, "(node, package)");
  unsetenv("COMITY_PLACE_COSTS");
  setenv("COMITY_PLACE_DIAGONAL", "-1", 1);
  expect_failure("diagonal", comity_place_grid(kRanks, seats, 2, extents, NULL, NULL, COMITY_PLACE_TIME, order),
                 COMITY_ERR_OPTION, "COMITY_PLACE_DIAGONAL");
  unsetenv("COMITY_PLACE_DIAGONAL");
}

/* A diagonal through a ring of one cell ends at the neighbour in the other dimension, on both of its sides: 1 + 2 * 4. */
static void diagonals_go_through_rings_of_one_cell(void) {
  enum { kRanks = 6 };
  comity_place_seat seats[kRanks];
  const int32_t extents[3] = {kRanks, 1, 1};
  int32_t rings[3] = {0, 1, 0};
  int32_t order[kRanks];
  comity_place_figures found = {0};
  for (int32_t i = 0; i < kRanks; ++i) seats[i] = (comity_place_seat){(uint64_t)(i / 3), i % 3, -1, -1, -1, -1};
  setenv("COMITY_PLACE_DIAGONAL", "4", 1);
  for (int32_t number = 0; number < 3; ++number) { /* of such rings */
    rings[1] = number > 0;
    rings[2] = number > 1;
    expect_status("rings", comity_place_grid(kRanks, seats, 3, extents, rings, NULL, COMITY_PLACE_SUM, order),
                  COMITY_OK);
    expect_status("found", comity_place_found(0, &found), COMITY_OK);
    expect_int("ways between two neighbours", found.sum, number == 0 ? 1 : number == 1 ? 1 + 2 * 4 : 1 + 8 * 4);
  }
  setenv("COMITY_PLACE_DIAGONAL", "1000000000", 1);
  expect_failure("too heavy", comity_place_grid(kRanks, seats, 3, extents, rings, NULL, COMITY_PLACE_SUM, order),
                 COMITY_ERR_RANGE, "rings of one cell");
  unsetenv("COMITY_PLACE_DIAGONAL");
}

typedef struct Asked {
  int32_t ranks;
  const comity_place_seat* seats;
  int64_t edges;
  const int32_t *from, *to;
  const int64_t* weights;
} Asked;

/* Whether the processes that get these two ranks by that objective sit on one node. */
static int share_a_node(const Asked* asked, comity_place_objective objective, int32_t one, int32_t other) {
  int32_t new_ranks[8] = {0};
  uint64_t node_of[2] = {0, 0};
  expect_status("order",
                comity_place_graph(asked->ranks, asked->seats, asked->edges, asked->from, asked->to, asked->weights,
                                   objective, new_ranks),
                COMITY_OK);
  for (int32_t i = 0; i < asked->ranks; ++i) {
    if (new_ranks[i] == one) node_of[0] = asked->seats[i].node;
    if (new_ranks[i] == other) node_of[1] = asked->seats[i].node;
  }
  return node_of[0] == node_of[1];
}

/* Ranks 0 and 1 exchange most, also with others: together they leave the least between nodes, and one node most of that. */
static void the_worst_node_and_the_sum_are_different_aims(void) {
  enum { kRanks = 6, kEdges = 5 };
  const int32_t from[kEdges] = {0, 0, 0, 1, 1};
  const int32_t to[kEdges] = {1, 2, 3, 4, 5};
  const int64_t weights[kEdges] = {7, 3, 3, 3, 3};
  comity_place_seat seats[kRanks];
  for (int32_t i = 0; i < kRanks; ++i) seats[i] = (comity_place_seat){(uint64_t)(i % 3), i / 3, -1, -1, -1, -1};
  const Asked star = {kRanks, seats, kEdges, from, to, weights};
  expect_int("worst: 0 and 1 are apart", share_a_node(&star, COMITY_PLACE_WORST, 0, 1), 0);
  expect_int("sum: 0 and 1 are together", share_a_node(&star, COMITY_PLACE_SUM, 0, 1), 1);
}

/* Pairs that stay together, of which 0 has another to be near: 195 between nodes and 200 between packages, or 200 and 100. */
static void time_weighs_packages_too(void) {
  enum { kRanks = 8, kEdges = 7 };
  const int32_t from[kEdges] = {0, 2, 4, 6, 0, 0, 2};
  const int32_t to[kEdges] = {1, 3, 5, 7, 2, 4, 6};
  const int64_t weights[kEdges] = {1000, 1000, 1000, 1000, 200, 100, 95};
  comity_place_seat seats[kRanks];
  for (int32_t i = 0; i < kRanks; ++i) seats[i] = (comity_place_seat){(uint64_t)(i % 2), i / 2, i / 4, -1, -1, -1};
  const Asked pairs = {kRanks, seats, kEdges, from, to, weights};
  expect_int("worst: least between nodes", share_a_node(&pairs, COMITY_PLACE_WORST, 0, 2), 1);
  expect_int("time: less between packages", share_a_node(&pairs, COMITY_PLACE_TIME, 0, 4), 1);
}

static void wrong_questions_are_refused(void) {
  const comity_place_seat seats[2] = {{.node = 1}, {.node = 2}};
  const comity_place_objective worst = COMITY_PLACE_WORST;
  const comity_place_objective none_such = (comity_place_objective)3;
  const int32_t three[1] = {3};
  const int32_t two[1] = {2};
  const int32_t five_twos[5] = {2, 2, 2, 2, 2};
  const int32_t zero[1] = {0};
  const int32_t one[1] = {1};
  const int32_t far[1] = {7};
  const int64_t none[1] = {0};
  int32_t order[2] = {NOWHERE, NOWHERE};
  expect_failure("too large", comity_place_grid(2, seats, 1, three, NULL, NULL, worst, order), COMITY_ERR_RANGE,
                 "3 ranks");
  expect_failure("no ranks", comity_place_grid(0, seats, 1, two, NULL, NULL, worst, order), COMITY_ERR_RANGE,
                 "0 ranks");
  expect_failure("no cells", comity_place_grid(2, seats, 1, zero, NULL, NULL, worst, order), COMITY_ERR_RANGE,
                 "dimension 0");
  expect_failure("5-D", comity_place_grid(2, seats, 5, five_twos, NULL, NULL, worst, order), COMITY_ERR_RANGE,
                 "dimensions");
  expect_failure("no halo", comity_place_grid(2, seats, 1, two, NULL, none, worst, order), COMITY_ERR_RANGE, "halo");
  expect_failure("null", comity_place_grid(2, NULL, 1, two, NULL, NULL, worst, order), COMITY_ERR_ARGUMENT, "seats");
  expect_failure("null", comity_place_grid(2, seats, 1, NULL, NULL, NULL, worst, order), COMITY_ERR_ARGUMENT,
                 "extents");
  expect_failure("null", comity_place_grid(2, seats, 1, two, NULL, NULL, worst, NULL), COMITY_ERR_ARGUMENT,
                 "new_ranks");
  expect_failure("no rank", comity_place_graph(2, seats, 1, zero, far, NULL, worst, order), COMITY_ERR_RANGE, "0 to 1");
  expect_failure("itself", comity_place_graph(2, seats, 1, one, one, NULL, worst, order), COMITY_ERR_ARGUMENT,
                 "itself");
  expect_failure("weight", comity_place_graph(2, seats, 1, zero, one, none, worst, order), COMITY_ERR_RANGE, "weight");
  expect_failure("edges", comity_place_graph(2, seats, -1, zero, one, NULL, worst, order), COMITY_ERR_RANGE, "edges");
  expect_failure("aim", comity_place_grid(2, seats, 1, two, NULL, NULL, none_such, order), COMITY_ERR_ARGUMENT,
                 "objective 3");
  expect_failure("aim", comity_place_graph(2, seats, 0, NULL, NULL, NULL, none_such, order), COMITY_ERR_ARGUMENT,
                 "objective 3");
  expect_int("untouched", order[0] == NOWHERE && order[1] == NOWHERE, 1);
  expect_status("no edges", comity_place_graph(2, seats, 0, NULL, NULL, NULL, worst, order), COMITY_OK);
  expect_int("kept", order[1], 1);
}

static void boxes_are_cut_and_found(void) {
  const int64_t extents[2] = {10, 8};
  const comity_place_level levels[2] = {{.parts = 4}, {.most_cells = 5}};
  const int64_t box[2] = {3, 1};
  int32_t cuts[4] = {0};
  int64_t first[2] = {0};
  int64_t extent[2] = {0};
  expect_status("decompose", comity_place_decompose(2, extents, 2, levels, cuts), COMITY_OK);
  expect_int("cuts", cuts[0] * 1000 + cuts[1] * 100 + cuts[2] * 10 + cuts[3], 2214);
  expect_status("box of a rank", comity_place_box(2, extents, 1, cuts, box, first, extent), COMITY_OK);
  expect_int("first", first[0] * 10 + first[1], 54);
  expect_int("extent", extent[0] * 10 + extent[1], 54);
  expect_status("box in it", comity_place_box(2, extents, 2, cuts, box, first, extent), COMITY_OK);
  expect_int("first of the second block", first[0] * 10 + first[1], 55);
  expect_failure("null", comity_place_decompose(2, extents, 2, NULL, cuts), COMITY_ERR_ARGUMENT, "wanted");
  expect_failure("levels", comity_place_decompose(2, extents, 0, levels, cuts), COMITY_ERR_RANGE, "levels");
  expect_failure("5-D", comity_place_decompose(5, extents, 1, levels, cuts), COMITY_ERR_RANGE, "dimensions");
  expect_failure("no place", comity_place_box(2, extents, 1, cuts, box, NULL, extent), COMITY_ERR_ARGUMENT, "first");
}

int main(void) {
  comity_context* context = NULL;
  expect_status("create", comity_context_create_local(&context), COMITY_OK);
  a_seat_tells_what_encloses_the_binding(context);
  an_order_comes_with_its_bound(context);
  diagonals_and_costs_are_settings();
  diagonals_go_through_rings_of_one_cell();
  a_chain_is_cut_once(context);
  the_worst_node_and_the_sum_are_different_aims();
  time_weighs_packages_too();
  wrong_questions_are_refused();
  boxes_are_cut_and_found();
  expect_status("free", comity_context_free(&context), COMITY_OK);
  return finish();
}
