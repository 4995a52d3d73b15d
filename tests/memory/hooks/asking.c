/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands before malloc_usable_size as tcmalloc has it: who is asked for the first time asks for memory himself, and knows that only when he has it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

size_t malloc_usable_size(void* block) {
  static size_t (*next)(void*);
  static void* kept;
  if (next == NULL) next = (size_t(*)(void*))dlsym(RTLD_NEXT, "malloc_usable_size");
  if (kept == NULL) kept = malloc(24);
  return next(block);
}
