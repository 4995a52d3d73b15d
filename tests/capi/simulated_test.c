/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine that is not this one: 2 packages x 2 NUMA nodes x 4 cores x 2 PUs, with remembered bindings. */
#include "expect.h"

static long count(comity_context* context, comity_type type) {
  int32_t number = -1;
  expect_status("count", comity_context_count(context, type, &number), COMITY_OK);
  return number;
}

static long within(comity_context* context, comity_type inner, comity_type outer, int32_t index) {
  int32_t number = -1;
  expect_status("count_within", comity_context_count_within(context, inner, outer, index, &number), COMITY_OK);
  return number;
}

static void expect_binding(comity_context* context, const char* what, const char* list) {
  char text[64];
  expect_status(what, comity_context_binding_string(context, COMITY_FORM_LIST, text, sizeof(text), NULL), COMITY_OK);
  if (strcmp(text, list) == 0) return;
  ++failures;
  printf("FAIL: %s: bound to %s, expected %s\n", what, text, list);
}

static void objects_are_counted(comity_context* context) {
  expect_int("machines", count(context, COMITY_MACHINE), 1);
  expect_int("packages", count(context, COMITY_PACKAGE), 2);
  expect_int("NUMA nodes", count(context, COMITY_NUMA), 4);
  expect_int("cores", count(context, COMITY_CORE), 16);
  expect_int("PUs", count(context, COMITY_PU), 32);
  expect_int("no L3", count(context, COMITY_L3), 0);
  expect_int("cores in a package", within(context, COMITY_CORE, COMITY_PACKAGE, 1), 8);
  expect_int("PUs in a NUMA node", within(context, COMITY_PU, COMITY_NUMA, 3), 8);
  expect_int("machine in a core", within(context, COMITY_MACHINE, COMITY_CORE, 0), 0);
}

static void pushes_nest_and_queries_follow(comity_context* context) {
  int32_t flag = -1;
  int32_t cores = 0;
  int32_t pus = 0;
  expect_status("is_bound", comity_context_is_bound(context, &flag), COMITY_OK);
  expect_int("unbound at first", flag, 0);
  expect_status("push core 5", comity_context_push(context, COMITY_CORE, 5), COMITY_OK);
  expect_binding(context, "core 5", "10-11");
  expect_status("is_bound", comity_context_is_bound(context, &flag), COMITY_OK);
  expect_int("bound", flag, 1);
  expect_status("nearest NUMA node", comity_context_push_nearest(context, COMITY_NUMA), COMITY_OK);
  expect_binding(context, "NUMA 1", "8-15");
  expect_status("encloses", comity_context_encloses(context, COMITY_PACKAGE, 0, &flag), COMITY_OK);
  expect_int("package 0 encloses", flag, 1);
  expect_status("encloses", comity_context_encloses(context, COMITY_CORE, 5, &flag), COMITY_OK);
  expect_int("core 5 does not enclose", flag, 0);
  expect_status("intersects", comity_context_intersects(context, COMITY_CORE, 5, &flag), COMITY_OK);
  expect_int("core 5 intersects", flag, 1);
  expect_status("nearest package", comity_context_push_nearest(context, COMITY_PACKAGE), COMITY_OK);
  expect_status("width", comity_context_width(context, &cores, &pus), COMITY_OK);
  expect_int("cores", cores, 8);
  expect_int("PUs", pus, 16);
  expect_failure("no core encloses", comity_context_push_nearest(context, COMITY_CORE), COMITY_ERR_NOT_FOUND,
                 "no single");
  expect_failure("no L3 here", comity_context_push(context, COMITY_L3, 0), COMITY_ERR_NOT_FOUND, "l3");
  expect_binding(context, "refused pushes", "0-15");
  expect_status("pop", comity_context_pop(context), COMITY_OK);
  expect_binding(context, "back to NUMA 1", "8-15");
  expect_status("pop", comity_context_pop(context), COMITY_OK);
  expect_status("pop", comity_context_pop(context), COMITY_OK);
  expect_binding(context, "back to all", "0-31");
}

static void expect_peer(comity_context* context, comity_view view, const char* list, comity_told_by wanted) {
  comity_cpuset set;
  comity_told_by told_by = COMITY_TOLD_BY_KERNEL;
  char text[64];
  expect_status(list, comity_context_peer_binding(context, 0, view, &set, &told_by), COMITY_OK);
  expect_status(list, comity_cpuset_string(&set, COMITY_FORM_LIST, text, sizeof(text), NULL), COMITY_OK);
  expect_int(list, strcmp(text, list), 0);
  expect_int("whose word it is", told_by, wanted);
}

/* The kernel has no word on a machine that is not this one. */
static void a_rank_is_told_by_the_table_or_by_itself(comity_context* context) {
  comity_told_by told_by = COMITY_TOLD_BY_KERNEL;
  expect_status("push core 5", comity_context_push(context, COMITY_CORE, 5), COMITY_OK);
  expect_peer(context, COMITY_VIEW_LIVE, "10-11", COMITY_TOLD_BY_RANK);
  expect_peer(context, COMITY_VIEW_PUBLISHED, "0-31", COMITY_TOLD_BY_TABLE);
  expect_status("refresh", comity_context_refresh(context), COMITY_OK);
  expect_peer(context, COMITY_VIEW_PUBLISHED, "10-11", COMITY_TOLD_BY_TABLE);
  expect_status("pop", comity_context_pop(context), COMITY_OK);
  expect_status("refresh", comity_context_refresh(context), COMITY_OK);
  expect_status("only whose", comity_context_peer_binding(context, 0, COMITY_VIEW_LIVE, NULL, &told_by), COMITY_OK);
  expect_int("told without a set", told_by, COMITY_TOLD_BY_RANK);
  expect_status("neither", comity_context_peer_binding(context, 0, COMITY_VIEW_LIVE, NULL, NULL), COMITY_OK);
  told_by = COMITY_TOLD_BY_KERNEL;
  expect_failure("no such rank", comity_context_peer_binding(context, 1, COMITY_VIEW_PUBLISHED, NULL, &told_by),
                 COMITY_ERR_RANGE, "no rank 1");
  expect_failure("no such view", comity_context_peer_binding(context, 0, (comity_view)7, NULL, &told_by),
                 COMITY_ERR_ARGUMENT, "no view 7");
  expect_failure("no context", comity_context_peer_binding(NULL, 0, COMITY_VIEW_LIVE, NULL, &told_by),
                 COMITY_ERR_ARGUMENT, "is null");
  expect_int("untouched on failure", told_by, COMITY_TOLD_BY_KERNEL);
}

static void a_phase_on_what_the_machine_lacks_is_not_opened(comity_context* context) {
  int32_t selected = 7;
  expect_failure("no L3 here", comity_context_enter(context, COMITY_L3, 1, 0, &selected), COMITY_ERR_NOT_FOUND, "l3");
  expect_int("nobody is selected", selected, 0);
  expect_failure("leave of what was refused", comity_context_leave(context), COMITY_ERR_ORDER, "none is open");
  expect_binding(context, "after the refusal", "0-31");
}

int main(void) {
  comity_context* context = NULL;
  comity_distribution mine;
  int32_t selected = 0;
  expect_status("create", comity_context_create_local(&context), COMITY_OK);
  if (context == NULL) return finish();
  objects_are_counted(context);
  pushes_nest_and_queries_follow(context);
  a_rank_is_told_by_the_table_or_by_itself(context);
  a_phase_on_what_the_machine_lacks_is_not_opened(context);
  expect_status("distribute", comity_context_distribute(context, COMITY_NUMA, 1, COMITY_RULE_FILL, &mine), COMITY_OK);
  expect_int("selected", mine.selected, 1);
  expect_int("object", mine.object, 0);
  expect_status("enter", comity_context_enter(context, COMITY_NUMA, 1, 3, &selected), COMITY_OK);
  expect_int("selected for the phase", selected, 1);
  expect_binding(context, "three cores of NUMA 0", "0-5");
  expect_status("leave", comity_context_leave(context), COMITY_OK);
  expect_binding(context, "after the phase", "0-31");
  expect_status("free", comity_context_free(&context), COMITY_OK);
  return finish();
}
