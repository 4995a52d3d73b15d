/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that allocates what it is told to: a component of its own for the tests of the hooks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

/* An inlined call would make these the caller's; a call at a function's end would make the caller return for us. */
void* alpha_malloc(size_t bytes) {
  void* volatile block = malloc(bytes);
  return block;
}
void* alpha_calloc(size_t count, size_t each) {
  void* volatile block = calloc(count, each);
  return block;
}
void* alpha_realloc(void* block, size_t bytes) {
  void* volatile moved = realloc(block, bytes);
  return moved;
}
void* alpha_aligned(int way, size_t alignment, size_t bytes) {
  void* volatile block = NULL;
  void* made = NULL;
  if (way == 0 && posix_memalign(&made, alignment, bytes) == 0) block = made;
  if (way == 1) block = aligned_alloc(alignment, bytes);
  if (way == 2) block = memalign(alignment, bytes);
  if (way == 3) block = valloc(bytes);
  if (way == 4) block = pvalloc(bytes);
  return block;
}
void alpha_free(void* block) {
  free(block);
  __asm__ volatile("");
}
char* alpha_strdup(const char* text) {
  char* volatile copy = strdup(text);
  return copy;
}
/* Deep inside the C library, and through functions with frames that vary. */
char* alpha_printed(const char* text) {
  char* made = NULL;
  const int length = asprintf(&made, "%s", text);
  return length < 0 ? NULL : made;
}

static char never_asked_for[96 << 20];
char* alpha_static(void) { return never_asked_for; }
/* A plugin may say itself what it offers, without being asked for a name. */
static void* (*registered)(size_t);
void alpha_register(void* (*map)(size_t)) { registered = map; }
void* alpha_map_by_registered(size_t bytes) {
  void* volatile start = registered(bytes);
  return start;
}

/* Mappings, and objects that this library loads. */
void* alpha_map(void* where, size_t bytes, int flags, int file) {
  void* volatile start = mmap(where, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  return start;
}
int alpha_unmap(void* start, size_t bytes) {
  volatile int result = munmap(start, bytes);
  return result;
}
void* alpha_remap(void* start, size_t bytes, size_t now_bytes, int flags, void* where) {
  void* volatile moved = mremap(start, bytes, now_bytes, flags, where);
  return moved;
}
void* alpha_attach(int id) {
  void* volatile start = shmat(id, NULL, 0);
  return start;
}
int alpha_detach(void* start) {
  volatile int result = shmdt(start);
  return result;
}
void* alpha_break(intptr_t bytes) {
  void* volatile start = sbrk(bytes);
  return start;
}
int alpha_break_at(void* end) {
  volatile int result = brk(end);
  return result;
}
void* alpha_load(const char* name) {
  void* volatile object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return object;
}
/* Behind this library there is none of that name. */
void* alpha_next(const char* name) {
  void* volatile function = dlsym(RTLD_NEXT, name);
  return function;
}
