/* SPDX-License-Identifier: BSD-3-Clause */
/* Built twice, as two plugins that a program loads while it runs. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

void* plugin_map(size_t bytes) {
  void* volatile start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start;
}
void* plugin_malloc(size_t bytes) {
  void* volatile block = malloc(bytes);
  return block;
}
