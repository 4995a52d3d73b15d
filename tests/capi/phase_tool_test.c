/* SPDX-License-Identifier: BSD-3-Clause */
/* Wide phases as a tool is told of them: this program plays the tool, whose functions a preloaded library has. */
#include <comity/comity.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static char told[1024];
static const void* whose[8];
static int begun = 0;

__attribute__((visibility("default"))) void comity_tool_phase_begin(const void* context, const char* text) {
  if (begun < 8) whose[begun++] = context;
  strcat(strcat(told, "<"), text);
}
__attribute__((visibility("default"))) void comity_tool_phase_end(const void* context) {
  strcat(told, begun > 0 && whose[begun - 1] == context ? ">" : "?");
  --begun;
}

static void expect(comity_status found, comity_status wanted, const char* what) {
  if (found == wanted) return;
  printf("FAIL: %s: %s (%s)\n", what, comity_status_name(found), comity_last_error());
  ++failures;
}

static void expect_told(const char* wanted) {
  if (strcmp(told, wanted) != 0) {
    printf("FAIL: the tool was told %s, expected %s\n", told, wanted);
    ++failures;
  }
  told[0] = 0;
}

int main(void) {
  comity_context* context = NULL;
  int32_t selected = 0;
  expect(comity_context_create_local(&context), COMITY_OK, "a context");
  expect(comity_context_leave(context), COMITY_ERR_ORDER, "an end without a begin");
  expect(comity_context_enter(context, COMITY_MACHINE, 0, 0, &selected), COMITY_ERR_RANGE, "nobody an object");
  expect_told("");
  expect(comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected), COMITY_OK, "a phase");
  expect(comity_context_enter(context, COMITY_MACHINE, 2, 1, &selected), COMITY_OK, "one inside it");
  expect(comity_context_leave(context), COMITY_OK, "its end");
  expect(comity_context_leave(context), COMITY_OK, "the end of the outer one");
  expect_told("<phase(machine, 1)<phase(machine, 2, 1)>>");
  expect(comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected), COMITY_OK, "one that stays open");
  expect(comity_context_free(&context), COMITY_OK, "its context's end");
  expect_told("<phase(machine, 1)>");
  return failures == 0 ? 0 : 1;
}
