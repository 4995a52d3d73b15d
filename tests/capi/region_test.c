/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions as a program marks them and as a tool is told of them: this program plays the tool, whose functions a preloaded
 * library has. */
#include <comity/comity.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;
static char told[1024];

__attribute__((visibility("default"))) void comity_tool_region_begin(const char* name) {
  strcat(strcat(told, "<"), name);
}
__attribute__((visibility("default"))) void comity_tool_region_end(void) { strcat(told, ">"); }

static void expect(comity_status found, comity_status wanted, const char* what, const char* word) {
  if (found == wanted && (wanted == COMITY_OK || strstr(comity_last_error(), word) != NULL)) return;
  printf("FAIL: %s: %s (%s)\n", what, comity_status_name(found), comity_last_error());
  ++failures;
}

static void expect_told(const char* wanted) {
  if (strcmp(told, wanted) == 0) return;
  printf("FAIL: the tool was told %s, expected %s\n", told, wanted);
  ++failures;
}

int main(void) {
  char longest[257];
  memset(longest, 'x', sizeof longest);
  longest[256] = 0;
  expect(comity_region_end(), COMITY_ERR_ORDER, "an end without a begin", "begun none");
  expect(comity_region_begin(NULL), COMITY_ERR_ARGUMENT, "no name", "null");
  expect(comity_region_begin(""), COMITY_ERR_ARGUMENT, "an empty name", "empty");
  expect(comity_region_begin("a/b"), COMITY_ERR_ARGUMENT, "a name with a slash", "a/b");
  expect(comity_region_begin("l\xf6sen"), COMITY_ERR_ARGUMENT, "a name in Latin-1", "l?sen");
  expect(comity_region_begin("two\nlines"), COMITY_ERR_ARGUMENT, "a name of two lines", "two?lines");
  expect(comity_region_begin(longest), COMITY_ERR_ARGUMENT, "a name of 256 bytes", "256");
  expect(comity_region_begin("(run)"), COMITY_ERR_ARGUMENT, "a name of the figures", "(run)");
  expect(comity_region_begin("(mine)"), COMITY_ERR_ARGUMENT, "a name in brackets", "(mine)");
  expect(comity_region_begin("MPI_Pcontrol(3)"), COMITY_ERR_ARGUMENT, "a name of a level", "MPI_Pcontrol(3)");
  expect_told("");
  expect(comity_region_end(), COMITY_ERR_ORDER, "the end of what has not begun", "begun none");
  expect(comity_region_begin("step"), COMITY_OK, "a region", "");
  expect(comity_region_begin("solve"), COMITY_OK, "a region inside it", "");
  expect(comity_region_end(), COMITY_OK, "its end", "");
  expect(comity_region_end(), COMITY_OK, "the end of the outer one", "");
  expect(comity_region_end(), COMITY_ERR_ORDER, "one end too many", "begun none");
  expect_told("<step<solve>>");
  expect(comity_region_begin("MPI_Pcontrol"), COMITY_OK, "a name without a level", "");
  expect(comity_region_end(), COMITY_OK, "its end", "");
  expect(comity_region_begin("solve (fast)"), COMITY_OK, "brackets further behind", "");
  expect(comity_region_end(), COMITY_OK, "its end", "");
  longest[255] = 0;
  expect(comity_region_begin(longest), COMITY_OK, "a name of 255 bytes", "");
  return failures == 0 ? 0 : 1;
}
