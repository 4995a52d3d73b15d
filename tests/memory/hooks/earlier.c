/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands before mmap by its name, as tools do that are preloaded before the hooks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

static int maps;

int earlier_maps(void) { return maps; }

void* mmap(void* where, size_t bytes, int rights, int flags, int file, off_t offset) {
  static void* (*next)(void*, size_t, int, int, int, off_t);
  if (next == NULL) next = (void* (*)(void*, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  if (next == NULL) abort();
  ++maps;
  return next(where, bytes, rights, flags, file, offset);
}
