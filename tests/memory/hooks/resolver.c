/* SPDX-License-Identifier: BSD-3-Clause */
/* A function that the linker has chosen by calling code of ours, while it fills the tables of whoever calls it: then a library that
   has been looked at already has all objects looked at. */
#include <stddef.h>

void* alpha_next(const char* name);

static int seven(void) { return 7; }
static int (*choose(void))(void) {
  (void)alpha_next("malloc"); /* by dlsym */
  return seven;
}

/* The linker orders tables by names' hashes: one of these stands before mmap there, the other behind it. */
int chosen(void) __attribute__((ifunc("choose")));
int chosen_while_loading(void) __attribute__((ifunc("choose")));
