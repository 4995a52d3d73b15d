/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that offers itself while it is loaded: nobody asks for a name in it. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

void alpha_register(void* (*map)(size_t));

static void* map_here(size_t bytes) {
  void* volatile start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start;
}
__attribute__((constructor)) static void offer(void) { alpha_register(&map_here); }
