/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad input: each call fails with its code and a sentence, and nothing changes. */
#include <stdint.h>

#include "expect.h"

static void null_pointers_are_argument_errors(comity_context* context) {
  int32_t number = 7;
  expect_failure("create_local(null)", comity_context_create_local(NULL), COMITY_ERR_ARGUMENT, "`context` is null");
  expect_failure("count on null", comity_context_count(NULL, COMITY_CORE, &number), COMITY_ERR_ARGUMENT, "is null");
  expect_failure("count to null", comity_context_count(context, COMITY_CORE, NULL), COMITY_ERR_ARGUMENT,
                 "`count` is null");
  expect_failure("free(null pointer)", comity_context_free(NULL), COMITY_ERR_ARGUMENT, "`context` is null");
  expect_failure("push_cpuset(null)", comity_context_push_cpuset(context, NULL), COMITY_ERR_ARGUMENT, "`set` is null");
  expect_failure("distribute to null", comity_context_distribute(context, COMITY_CORE, 1, COMITY_RULE_FILL, NULL),
                 COMITY_ERR_ARGUMENT, "`result` is null");
  expect_failure("enter to null", comity_context_enter(context, COMITY_CORE, 1, 0, NULL), COMITY_ERR_ARGUMENT,
                 "is null");
  expect_failure("leave after a refused enter", comity_context_leave(context), COMITY_ERR_ORDER, "none");
  expect_failure("split to null", comity_group_split(context, 0, NULL), COMITY_ERR_ARGUMENT, "`group` is null");
  expect_failure("create_with(null)", comity_context_create_with(NULL, &context), COMITY_ERR_ARGUMENT, "`bootstrap`");
  expect_int("untouched result", number, 7);
}

/* What to do about it: nothing is written to an input. */
static void null_inputs_are_told_from_null_results(comity_context* context) {
  comity_cpuset set;
  int32_t number = 0;
  char text[8];
  expect_failure("parse null", comity_cpuset_parse(NULL, &set), COMITY_ERR_ARGUMENT,
                 "`text` is null; pass the list or the mask to read");
  expect_failure("parse to null", comity_cpuset_parse("0", NULL), COMITY_ERR_ARGUMENT,
                 "`set` is null; pass where the result goes");
  expect_failure("write null", comity_cpuset_string(NULL, COMITY_FORM_LIST, text, sizeof(text), NULL),
                 COMITY_ERR_ARGUMENT, "`set` is null; pass the set to write");
  expect_failure("count null", comity_cpuset_count(NULL, &number), COMITY_ERR_ARGUMENT,
                 "`set` is null; pass the set to count");
  expect_failure("push null", comity_context_push_cpuset(context, NULL), COMITY_ERR_ARGUMENT,
                 "`set` is null; pass the CPUs to bind to");
  expect_failure("closest to null", comity_context_closest(context, COMITY_CORE, NULL, &number, NULL),
                 COMITY_ERR_ARGUMENT, "`set` is null; pass the CPUs to look for");
  expect_failure("no callbacks", comity_context_create_with(NULL, &context), COMITY_ERR_ARGUMENT,
                 "`bootstrap` is null; pass the three callbacks");
  expect_failure("free null", comity_context_free(NULL), COMITY_ERR_ARGUMENT,
                 "`context` is null; pass the address of the handle");
  expect_failure("free no group", comity_group_free(NULL), COMITY_ERR_ARGUMENT,
                 "`group` is null; pass the address of the handle");
}

static void freed_and_invented_handles_are_told(void) {
  comity_context* context = NULL;
  comity_context* stale;
  comity_group* group = NULL;
  comity_group* stale_group;
  int invented = 0;
  int32_t number = 0;
  expect_status("create", comity_context_create_local(&context), COMITY_OK);
  stale = context;
  expect_status("split", comity_group_split(context, 0, &group), COMITY_OK);
  stale_group = group;
  expect_status("free group", comity_group_free(&group), COMITY_OK);
  expect_int("group handle is null after free", group == NULL, 1);
  expect_failure("quiesce a freed group", comity_context_quiesce(context, stale_group, 0, COMITY_FOREVER),
                 COMITY_ERR_HANDLE, "live group");
  expect_failure("free a group twice", comity_group_free(&stale_group), COMITY_ERR_HANDLE, "live group");
  expect_status("free", comity_context_free(&context), COMITY_OK);
  expect_int("handle is null after free", context == NULL, 1);
  expect_status("free of null", comity_context_free(&context), COMITY_OK);
  expect_failure("query of a freed one", comity_context_count(stale, COMITY_CORE, &number), COMITY_ERR_HANDLE, "freed");
  expect_failure("push on a freed one", comity_context_push(stale, COMITY_CORE, 0), COMITY_ERR_HANDLE, "freed");
  expect_failure("free twice", comity_context_free(&stale), COMITY_ERR_HANDLE, "freed");
  expect_failure("invented handle", comity_context_pop((comity_context*)(void*)&invented), COMITY_ERR_HANDLE,
                 "never created");
  expect_failure("invented odd handle", comity_context_pop((comity_context*)(uintptr_t)0x123457), COMITY_ERR_HANDLE,
                 "never created");
}

static void handles_do_not_come_back(void) {
  comity_context* first = NULL;
  comity_context* second = NULL;
  comity_context* stale;
  int32_t number = 0;
  expect_status("create", comity_context_create_local(&first), COMITY_OK);
  stale = first;
  expect_status("free", comity_context_free(&first), COMITY_OK);
  expect_status("create again", comity_context_create_local(&second), COMITY_OK);
  expect_failure("the old handle", comity_context_size(stale, &number), COMITY_ERR_HANDLE, "freed");
  expect_status("free", comity_context_free(&second), COMITY_OK);
}

static void no_progress(void* data) { (void)data; }

static void indices_and_types_are_checked(comity_context* context) {
  int32_t cores = 0;
  int32_t number = 7;
  comity_cpuset set;
  int32_t selected = 7;
  const comity_cpuset none = {{0}};
  expect_status("count", comity_context_count(context, COMITY_CORE, &cores), COMITY_OK);
  expect_failure("push core -1", comity_context_push(context, COMITY_CORE, -1), COMITY_ERR_RANGE, "-1");
  expect_status("push core count", comity_context_push(context, COMITY_CORE, cores), COMITY_ERR_RANGE);
  expect_status("cpuset", comity_context_cpuset(context, COMITY_CORE, cores, &set), COMITY_ERR_RANGE);
  expect_status("encloses", comity_context_encloses(context, COMITY_CORE, cores, &number), COMITY_ERR_RANGE);
  expect_failure("type 8", comity_context_count(context, (comity_type)8, &number), COMITY_ERR_ARGUMENT, "type 8");
  expect_failure("type -1", comity_context_push(context, (comity_type)-1, 0), COMITY_ERR_ARGUMENT, "type -1");
  expect_failure("empty set", comity_context_push_cpuset(context, &none), COMITY_ERR_RANGE, "empty");
  expect_failure("max_per 0",
                 comity_context_distribute(context, COMITY_CORE, 0, COMITY_RULE_FILL,
                                           (comity_distribution[1]){{0, 0, 0, 0, 0, 0}}),
                 COMITY_ERR_RANGE, "max_per is 0");
  expect_failure(
      "rule 9",
      comity_context_distribute(context, COMITY_CORE, 1, (comity_rule)9, (comity_distribution[1]){{0, 0, 0, 0, 0, 0}}),
      COMITY_ERR_ARGUMENT, "rule 9");
  expect_failure("binding of 2", comity_context_set_binding_of(context, (comity_binding_of)2), COMITY_ERR_ARGUMENT,
                 "COMITY_BINDING_OF_THREADS");
  expect_failure("teams 3", comity_context_set_teams(context, (comity_teams)3), COMITY_ERR_ARGUMENT,
                 "COMITY_TEAMS_LEAVE");
  expect_failure("width -1", comity_context_enter(context, COMITY_CORE, 1, -1, &selected), COMITY_ERR_RANGE, "-1");
  expect_int("nobody is selected", selected, 0);
  expect_failure("flags", comity_context_quiesce(context, NULL, 4, 0), COMITY_ERR_ARGUMENT, "flags are 4");
  expect_failure("no progress", comity_context_quiesce(context, NULL, COMITY_QUIESCE_PROGRESS, 0),
                 COMITY_ERR_UNSUPPORTED, "comity_context_set_progress");
  expect_status("a progress", comity_context_set_progress(context, no_progress, NULL), COMITY_OK);
  expect_status("with progress", comity_context_quiesce(context, NULL, COMITY_QUIESCE_PROGRESS, 0), COMITY_OK);
  expect_status("none again", comity_context_set_progress(context, NULL, NULL), COMITY_OK);
  expect_failure("none again", comity_context_quiesce(context, NULL, COMITY_QUIESCE_PROGRESS, 0),
                 COMITY_ERR_UNSUPPORTED, "comity_context_set_progress");
  expect_int("untouched result", number, 7);
  expect_status("depth", comity_context_depth(context, &number), COMITY_OK);
  expect_int("nothing was pushed", number, 0);
}

static void calls_out_of_order_are_told(comity_context* context) {
  comity_context* other = NULL;
  expect_failure("pop of the empty stack", comity_context_pop(context), COMITY_ERR_ORDER, "empty");
  expect_failure("leave without enter", comity_context_leave(context), COMITY_ERR_ORDER, "none is open");
  expect_status("create another", comity_context_create_local(&other), COMITY_OK);
  expect_status("push", comity_context_push(context, COMITY_MACHINE, 0), COMITY_OK);
  expect_failure("pop of another's push", comity_context_pop(other), COMITY_ERR_ORDER, "another context");
  expect_status("pop", comity_context_pop(context), COMITY_OK);
  expect_status("free another", comity_context_free(&other), COMITY_OK);
}

/* What an open phase has pushed is not the body's to pop, nor is what stands below it. */
static void the_entry_of_a_phase_is_ended_by_leave_alone(comity_context* context) {
  int32_t selected = 0;
  int32_t depth = 0;
  expect_status("push below", comity_context_push(context, COMITY_MACHINE, 0), COMITY_OK);
  expect_status("enter", comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected), COMITY_OK);
  expect_int("selected", selected, 1);
  expect_failure("pop of the phase's entry", comity_context_pop(context), COMITY_ERR_ORDER, "comity_context_leave");
  expect_status("push inside", comity_context_push(context, COMITY_PU, 0), COMITY_OK);
  expect_status("pop inside", comity_context_pop(context), COMITY_OK);
  expect_failure("one pop too many", comity_context_pop(context), COMITY_ERR_ORDER, "comity_context_leave");
  expect_status("depth inside", comity_context_depth(context, &depth), COMITY_OK);
  expect_int("nothing of it popped", depth, 2);
  expect_status("leave", comity_context_leave(context), COMITY_OK);
  expect_status("depth after", comity_context_depth(context, &depth), COMITY_OK);
  expect_int("only the first push is left", depth, 1);
  expect_status("pop below", comity_context_pop(context), COMITY_OK);
}

/* What all ranks are refused alike has opened nothing: there is nothing to leave, and no room is lost. */
static void a_refused_enter_opens_no_phase(comity_context* context) {
  int32_t selected = 7;
  for (int attempt = 0; attempt < 70; ++attempt) {
    expect_failure("per 0", comity_context_enter(context, COMITY_MACHINE, 0, 0, &selected), COMITY_ERR_RANGE,
                   "max_per is 0");
  }
  expect_int("nobody is selected", selected, 0);
  expect_failure("leave of what was refused", comity_context_leave(context), COMITY_ERR_ORDER, "none is open");
  expect_status("enter", comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected), COMITY_OK);
  expect_status("refused inside", comity_context_enter(context, COMITY_MACHINE, 0, 0, &selected), COMITY_ERR_RANGE);
  expect_status("leave", comity_context_leave(context), COMITY_OK);
  expect_failure("one leave more", comity_context_leave(context), COMITY_ERR_ORDER, "none is open");
}

static void phases_nest_to_a_limit(comity_context* context) {
  int32_t selected = 0;
  int depth = 0;
  while (depth < 64 && comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected) == COMITY_OK) ++depth;
  expect_int("phases open", depth, 64);
  expect_failure("one more", comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected), COMITY_ERR_RANGE,
                 "64 are open");
  while (depth > 0 && comity_context_leave(context) == COMITY_OK) --depth;
  expect_int("phases left open", depth, 0);
  expect_failure("one leave more", comity_context_leave(context), COMITY_ERR_ORDER, "none is open");
}

static void texts_are_bounded(comity_context* context) {
  char text[4] = "xyz";
  size_t length_bytes = 0;
  comity_cpuset set;
  expect_status("ask for the length", comity_context_binding_string(context, COMITY_FORM_LIST, NULL, 0, &length_bytes),
                COMITY_OK);
  expect_int("some text", length_bytes > 0, 1);
  expect_failure("no room", comity_context_binding_string(context, COMITY_FORM_HEX, text, 1, NULL), COMITY_ERR_RANGE,
                 "bytes");
  expect_int("the buffer is ended", text[0], '\0');
  expect_failure("broken list", comity_cpuset_parse("0-", &set), COMITY_ERR_ARGUMENT, "at character");
  expect_status("list", comity_cpuset_parse("0-2", &set), COMITY_OK);
  expect_status("write", comity_cpuset_string(&set, COMITY_FORM_HEX, text, sizeof(text), &length_bytes), COMITY_OK);
  expect_int("0x7", strcmp(text, "0x7"), 0);
}

static void sets_are_counted(void) {
  comity_cpuset set = {{0}};
  int32_t count = -1;
  expect_status("empty set", comity_cpuset_count(&set, &count), COMITY_OK);
  expect_int("PUs of the empty set", count, 0);
  expect_status("parse", comity_cpuset_parse("0-3,63-64,2047", &set), COMITY_OK);
  expect_status("some PUs", comity_cpuset_count(&set, &count), COMITY_OK);
  expect_int("PUs", count, 7);
  expect_status("parse", comity_cpuset_parse("0-2047", &set), COMITY_OK);
  expect_status("all PUs", comity_cpuset_count(&set, &count), COMITY_OK);
  expect_int("all there can be", count, COMITY_CPUSET_CAPACITY);
  expect_failure("no set", comity_cpuset_count(NULL, &count), COMITY_ERR_ARGUMENT, "`set` is null");
  expect_failure("no count", comity_cpuset_count(&set, NULL), COMITY_ERR_ARGUMENT, "`count` is null");
  expect_int("untouched result", count, COMITY_CPUSET_CAPACITY);
}

/* Each code has a name and a text of its own, and they belong together. */
static void codes_are_explained(void) {
  for (int code = COMITY_OK; code <= COMITY_ERR_INTERNAL; ++code) {
    const char* text = comity_status_text((comity_status)code);
    expect_int(comity_status_name((comity_status)code), text != NULL && strlen(text) > 0, 1);
    for (int other = COMITY_OK; other < code; ++other) {
      expect_int("a text of its own", strcmp(text, comity_status_text((comity_status)other)) != 0, 1);
    }
  }
  expect_int("names", strcmp(comity_status_name(COMITY_ERR_RANGE), "COMITY_ERR_RANGE"), 0);
  expect_int("text of no error", strcmp(comity_status_text(COMITY_OK), "Success."), 0);
  expect_int("text of a range", strstr(comity_status_text(COMITY_ERR_RANGE), "outside its range") != NULL, 1);
  expect_int("text of a setting", strstr(comity_status_text(COMITY_ERR_OPTION), "`comity env`") != NULL, 1);
  expect_int("text of a defect", strstr(comity_status_text(COMITY_ERR_INTERNAL), "report") != NULL, 1);
  for (int unknown = -1; unknown <= 99; unknown += 100) {
    expect_int("unknown name", strcmp(comity_status_name((comity_status)unknown), "COMITY_ERR_?"), 0);
    expect_int("unknown text", strcmp(comity_status_text((comity_status)unknown), "Not a code of Comity."), 0);
  }
}

static void a_group_rests_in_the_context_that_it_came_from(comity_context* context) {
  comity_context* other = NULL;
  comity_group* group = NULL;
  expect_status("create another", comity_context_create_local(&other), COMITY_OK);
  expect_status("split", comity_group_split(context, 0, &group), COMITY_OK);
  expect_failure("quiesce it in another", comity_context_quiesce(other, group, 0, 0), COMITY_ERR_ARGUMENT,
                 "split from another context");
  expect_status("quiesce it in its own", comity_context_quiesce(context, group, 0, 0), COMITY_OK);
  expect_status("free group", comity_group_free(&group), COMITY_OK);
  expect_status("free another", comity_context_free(&other), COMITY_OK);
}

static void handles_have_a_kind(comity_context* context) {
  comity_group* group = NULL;
  comity_group* wrong = (comity_group*)(void*)context;
  expect_status("split", comity_group_split(context, 0, &group), COMITY_OK);
  expect_failure("free a context as a group", comity_group_free(&wrong), COMITY_ERR_HANDLE, "live group");
  expect_failure("pop on a group", comity_context_pop((comity_context*)(void*)group), COMITY_ERR_HANDLE,
                 "live context");
  expect_status("free group", comity_group_free(&group), COMITY_OK);
}

static void timeouts_do_not_hang(comity_context* context) {
  expect_failure("timeout -5", comity_context_quiesce(context, NULL, 0, -5), COMITY_ERR_RANGE, "-5 ns");
  expect_status("alone", comity_context_quiesce(context, NULL, 0, 0), COMITY_OK);
}

static void counted_cpus_are_checked(void) {
  expect_failure("counted no CPU", comity_start_counted(0), COMITY_ERR_ARGUMENT, "at least 1");
  expect_failure("counted -1 CPU", comity_start_counted(-1), COMITY_ERR_ARGUMENT, "-1 is none");
}

int main(void) {
  comity_context* context = NULL;
  expect_status("create", comity_context_create_local(&context), COMITY_OK);
  null_pointers_are_argument_errors(context);
  null_inputs_are_told_from_null_results(context);
  indices_and_types_are_checked(context);
  calls_out_of_order_are_told(context);
  the_entry_of_a_phase_is_ended_by_leave_alone(context);
  a_refused_enter_opens_no_phase(context);
  phases_nest_to_a_limit(context);
  texts_are_bounded(context);
  timeouts_do_not_hang(context);
  counted_cpus_are_checked();
  sets_are_counted();
  codes_are_explained();
  a_group_rests_in_the_context_that_it_came_from(context);
  handles_have_a_kind(context);
  freed_and_invented_handles_are_told();
  handles_do_not_come_back();
  expect_status("free", comity_context_free(&context), COMITY_OK);
  expect_int("version", strcmp(comity_version(), COMITY_VERSION_STRING), 0);
  return finish();
}
