/* SPDX-License-Identifier: BSD-3-Clause */
/* Built twice: its call of mmap stands in its table before, or behind, that of a function which is chosen while the table is filled. */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

int CHOSEN(void);

int chooser_choose(void) { return CHOSEN() + 1; }
void* chooser_map(size_t bytes) {
  void* volatile start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start;
}
