/* SPDX-License-Identifier: BSD-3-Clause */
/* What a library takes when it is loaded, and keeps: before the constructor of the hooks, or behind it. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kSmall_bytes = 3000, kLarge_bytes = 1 << 20, kMapped_bytes = 2 << 20 };

static struct {
  void* small;
  void* large;
  void* mapped;
} kept;

/* 0: a small block, 1: a large one, 2: a mapping. All their bytes are 7. */
void* KEPT_BY(int which, size_t* bytes) {
  *bytes = which == 0 ? kSmall_bytes : which == 1 ? kLarge_bytes : kMapped_bytes;
  return which == 0 ? kept.small : which == 1 ? kept.large : kept.mapped;
}

__attribute__((constructor)) static void take(void) {
  void* volatile gone = malloc(100); /* else the compiler sees that nobody asks for it */
  free(gone);
  kept.small = realloc(calloc(1, 10), kSmall_bytes);
  if (posix_memalign(&kept.large, 4096, kLarge_bytes) != 0) abort();
  kept.mapped = mmap(NULL, kMapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (kept.small == NULL || kept.mapped == MAP_FAILED) abort();
  memset(kept.small, 7, kSmall_bytes);
  memset(kept.large, 7, kLarge_bytes);
  memset(kept.mapped, 7, kMapped_bytes);
}
