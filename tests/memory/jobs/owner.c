/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that asks for memory and never touches it: built once for each way in which memory becomes resident, so that each is a
   component of its own. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

void* owner_map(size_t bytes, int flags, int file) {
  void* volatile start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  return start;
}
void* owner_malloc(size_t bytes) {
  void* volatile block = malloc(bytes);
  return block;
}
