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
