/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces, threads and numbers from C, on a made-up machine of 2 packages x 2 NUMA nodes x 4 cores x 2 PUs: what they give, and
 * what is wrong with their arguments. */
#include "expect.h"

enum { kMembers = 4 };

static void expect_set(const char* what, const comity_cpuset* set, const char* list) {
  char text[64];
  expect_status(what, comity_cpuset_string(set, COMITY_FORM_LIST, text, sizeof(text), NULL), COMITY_OK);
  if (strcmp(text, list) == 0) return;
  ++failures;
  printf("FAIL: %s: %s, expected %s\n", what, text, list);
}

static void the_binding_is_split_and_split_again(comity_context* context) {
  comity_cpuset halves[2];
  comity_cpuset quarters[2];
  expect_status("halves", comity_context_assign(context, COMITY_CORE, 2, COMITY_ASSIGN_PACKED, 2, NULL, NULL, halves),
                COMITY_OK);
  expect_set("first half", &halves[0], "0-15");
  expect_set("second half", &halves[1], "16-31");
  expect_status("quarters",
                comity_context_assign(context, COMITY_CORE, 2, COMITY_ASSIGN_PACKED, 2, &halves[1], NULL, quarters),
                COMITY_OK);
  expect_set("third quarter", &quarters[0], "16-23");
  expect_status("push", comity_context_push(context, COMITY_NUMA, 3), COMITY_OK);
  expect_status("cores of it",
                comity_context_assign(context, COMITY_CORE, 0, COMITY_ASSIGN_SPREAD, 2, NULL, NULL, quarters),
                COMITY_OK);
  expect_set("first core", &quarters[0], "24-25");
  expect_set("third core", &quarters[1], "28-29");
  expect_status("pop", comity_context_pop(context), COMITY_OK);
}

static void members_stay_where_they_are(comity_context* context) {
  comity_cpuset places[kMembers];
  comity_cpuset shares[kMembers];
  const char* const lists[kMembers] = {"30", "0", "8-9", "17"};
  const char* const expected[kMembers] = {"24-31", "0-7", "8-15", "16-23"};
  for (int i = 0; i < kMembers; ++i) {
    expect_status("parse", comity_cpuset_parse(lists[i], &places[i]), COMITY_OK);
  }
  expect_status("close",
                comity_context_assign(context, COMITY_NUMA, 0, COMITY_ASSIGN_CLOSE, kMembers, NULL, places, shares),
                COMITY_OK);
  for (int i = 0; i < kMembers; ++i) expect_set(lists[i], &shares[i], expected[i]);
}

static void wrong_pieces_are_told(comity_context* context) {
  comity_cpuset share;
  const comity_cpuset none = {{0}};
  comity_cpuset_parse("5", &share);
  expect_failure("no L3", comity_context_assign(context, COMITY_L3, 1, COMITY_ASSIGN_PACKED, 1, NULL, NULL, &share),
                 COMITY_ERR_NOT_FOUND, "l3");
  expect_failure("17 of 16",
                 comity_context_assign(context, COMITY_CORE, 17, COMITY_ASSIGN_PACKED, 1, NULL, NULL, &share),
                 COMITY_ERR_RANGE, "parts of 16");
  expect_failure("below 0",
                 comity_context_assign(context, COMITY_CORE, -1, COMITY_ASSIGN_PACKED, 1, NULL, NULL, &share),
                 COMITY_ERR_RANGE, "-1 pieces");
  expect_failure("nobody", comity_context_assign(context, COMITY_CORE, 1, COMITY_ASSIGN_PACKED, 0, NULL, NULL, &share),
                 COMITY_ERR_RANGE, "members are 0");
  expect_failure("nothing",
                 comity_context_assign(context, COMITY_CORE, 1, COMITY_ASSIGN_PACKED, 1, &none, NULL, &share),
                 COMITY_ERR_RANGE, "no core");
  expect_failure("no such assignment",
                 comity_context_assign(context, COMITY_CORE, 1, (comity_assignment)3, 1, NULL, NULL, &share),
                 COMITY_ERR_ARGUMENT, "no assignment 3");
  expect_failure("no such kind",
                 comity_context_assign(context, (comity_type)8, 1, COMITY_ASSIGN_PACKED, 1, NULL, NULL, &share),
                 COMITY_ERR_ARGUMENT, "no object type 8");
  expect_failure("close to nothing",
                 comity_context_assign(context, COMITY_CORE, 1, COMITY_ASSIGN_CLOSE, 1, NULL, NULL, &share),
                 COMITY_ERR_ARGUMENT, "places");
  expect_failure("no shares", comity_context_assign(context, COMITY_CORE, 1, COMITY_ASSIGN_PACKED, 1, NULL, NULL, NULL),
                 COMITY_ERR_ARGUMENT, "shares");
  expect_failure("no context", comity_context_assign(NULL, COMITY_CORE, 1, COMITY_ASSIGN_PACKED, 1, NULL, NULL, &share),
                 COMITY_ERR_ARGUMENT, "context");
  expect_set("untouched", &share, "5");
}

static void a_rank_alone_splits(comity_context* context) {
  comity_group* group = NULL;
  int32_t size = 0;
  expect_failure("no group", comity_context_split(context, COMITY_CORE, 1, COMITY_ASSIGN_PACKED, NULL, NULL),
                 COMITY_ERR_ARGUMENT, "group");
  expect_failure("no such kind", comity_context_split(context, (comity_type)-1, 1, COMITY_ASSIGN_PACKED, NULL, &group),
                 COMITY_ERR_ARGUMENT, "no object type -1");
  expect_failure("no such assignment",
                 comity_context_split(context, COMITY_CORE, 1, (comity_assignment)9, NULL, &group), COMITY_ERR_ARGUMENT,
                 "no assignment 9");
  expect_failure("among a foreign group",
                 comity_context_split(context, COMITY_CORE, 1, COMITY_ASSIGN_PACKED, (comity_group*)context, &group),
                 COMITY_ERR_HANDLE, "group");
  expect_int("untouched", group == NULL, 1);
  expect_status("split", comity_context_split(context, COMITY_PACKAGE, 0, COMITY_ASSIGN_SPREAD, NULL, &group),
                COMITY_OK);
  expect_status("rank", comity_group_rank(group, NULL, &size), COMITY_OK);
  expect_int("size of the group", size, 1);
  expect_status("free", comity_group_free(&group), COMITY_OK);
  expect_status("pop", comity_context_pop(context), COMITY_OK);
}

static void wrong_scopes_are_told(comity_context* context) {
  comity_thread_scope scope = {{{0}}, 0, 0};
  comity_cpuset set;
  expect_failure("never bound", comity_context_release_thread(context, &scope), COMITY_ERR_ORDER, "ended already");
  comity_cpuset_parse("40", &set);
  expect_failure("not allowed", comity_context_bind_thread(context, &set, &scope), COMITY_ERR_RANGE, "40");
  comity_cpuset_parse("", &set);
  expect_failure("empty", comity_context_bind_thread(context, &set, &scope), COMITY_ERR_RANGE, "empty");
  expect_failure("no set", comity_context_bind_thread(context, NULL, &scope), COMITY_ERR_ARGUMENT, "set");
  comity_cpuset_parse("3", &set);
  expect_failure("no scope", comity_context_bind_thread(context, &set, NULL), COMITY_ERR_ARGUMENT, "scope");
  expect_failure("no scope", comity_context_release_thread(context, NULL), COMITY_ERR_ARGUMENT, "scope");
  expect_status("bind", comity_context_bind_thread(context, &set, &scope), COMITY_OK);
  scope.thread += 1;
  expect_failure("another's", comity_context_release_thread(context, &scope), COMITY_ERR_ORDER, "is that of thread");
  scope.thread -= 1;
  expect_status("release", comity_context_release_thread(context, &scope), COMITY_OK);
  expect_failure("twice", comity_context_release_thread(context, &scope), COMITY_ERR_ORDER, "ended already");
}

static void objects_have_numbers(comity_context* context) {
  comity_cpuset set;
  char text[64] = "";
  size_t length = 0;
  expect_status("push", comity_context_push(context, COMITY_CORE, 5), COMITY_OK);
  expect_status(
      "numbers",
      comity_context_cpuset_string(context, COMITY_CORE, COMITY_NUMBERING_LOGICAL, NULL, text, sizeof(text), &length),
      COMITY_OK);
  expect_int("core 5", strcmp(text, "5"), 0);
  expect_int("length", (long)length, 1);
  expect_failure("no room",
                 comity_context_cpuset_string(context, COMITY_PU, COMITY_NUMBERING_PHYSICAL, NULL, text, 2, &length),
                 COMITY_ERR_RANGE, "6 bytes");
  expect_int("10-11", (long)length, 5);
  expect_status("pop", comity_context_pop(context), COMITY_OK);
  expect_status("parse", comity_context_cpuset_parse(context, COMITY_CORE, COMITY_NUMBERING_LOGICAL, "0,15", &set),
                COMITY_OK);
  expect_set("two cores", &set, "0-1,30-31");
  expect_failure("none such", comity_context_cpuset_parse(context, COMITY_CORE, COMITY_NUMBERING_LOGICAL, "16", &set),
                 COMITY_ERR_RANGE, "16");
  expect_failure("broken", comity_context_cpuset_parse(context, COMITY_CORE, COMITY_NUMBERING_LOGICAL, "1,x", &set),
                 COMITY_ERR_ARGUMENT, "x");
  expect_failure("no text", comity_context_cpuset_parse(context, COMITY_CORE, COMITY_NUMBERING_LOGICAL, NULL, &set),
                 COMITY_ERR_ARGUMENT, "text");
  expect_failure("no such numbering", comity_context_cpuset_parse(context, COMITY_CORE, (comity_numbering)2, "1", &set),
                 COMITY_ERR_ARGUMENT, "no numbering 2");
  expect_set("untouched", &set, "0-1,30-31");
}

int main(void) {
  comity_context* context = NULL;
  expect_status("create", comity_context_create_local(&context), COMITY_OK);
  the_binding_is_split_and_split_again(context);
  members_stay_where_they_are(context);
  wrong_pieces_are_told(context);
  a_rank_alone_splits(context);
  wrong_scopes_are_told(context);
  objects_have_numbers(context);
  expect_status("free", comity_context_free(&context), COMITY_OK);
  return finish();
}
