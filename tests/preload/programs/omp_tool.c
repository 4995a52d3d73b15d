/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool of OpenMP, which only says that it was asked. */
#include <stdio.h>

void* ompt_start_tool(unsigned version, const char* runtime);
__attribute__((visibility("default"))) void* ompt_start_tool(unsigned version, const char* runtime) {
  fprintf(stderr, "asked by %s\n", runtime);
  return version == 0 ? stderr : NULL;
}
