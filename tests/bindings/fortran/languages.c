/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of languages_test in C. */
#include <comity/comity.h>

int depth_inside_cpp(comity_context* lent, int package);

int depth_in_c(comity_context* context) {
  int32_t depth = 0;
  return comity_context_depth(context, &depth) == COMITY_OK ? (int)depth : -1;
}

/* Pushes in C, lets C++ push on top of that, and pops; leaves what Fortran has pushed. */
int through_c_to_cpp(comity_context* context, int package) {
  if (comity_context_push(context, COMITY_MACHINE, 0) != COMITY_OK) return -1;
  const int deepest = depth_inside_cpp(context, package);
  return comity_context_pop(context) == COMITY_OK ? deepest : -1;
}
