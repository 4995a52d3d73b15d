/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_test WORDS...: the environment names a machine that cannot be read. The create fails, its sentence holds the
 * words (the file or the text that was named, and why), and the process can go on with another machine. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdlib.h>

#include "expect.h"

static void the_create_fails_and_says(int count, char** words) {
  comity_context* context = NULL;
  for (int i = 0; i < count; ++i) {
    expect_failure("create", comity_context_create_local(&context), COMITY_ERR_TOPOLOGY, words[i]);
    expect_int("no half-made context", context == NULL, 1);
  }
}

static void the_next_create_with_another_machine_works(void) {
  comity_context* context = NULL;
  int32_t cores = 0;
  unsetenv("HWLOC_XMLFILE");
  setenv("HWLOC_SYNTHETIC", "package:1 core:3 pu:1", 1);
  expect_status("create again", comity_context_create_local(&context), COMITY_OK);
  expect_status("count", comity_context_count(context, COMITY_CORE, &cores), COMITY_OK);
  expect_int("cores", cores, 3);
  expect_status("free", comity_context_free(&context), COMITY_OK);
}

int main(int count, char** arguments) {
  expect_int("words were given", count > 1, 1);
  the_create_fails_and_says(count - 1, arguments + 1);
  the_next_create_with_another_machine_works();
  return finish();
}
