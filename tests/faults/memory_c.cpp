// SPDX-License-Identifier: BSD-3-Clause
// The program's malloc, which the memory of memory.hpp can run out of; otherwise glibc's.
#include <cstddef>

#include "faults/memory.hpp"

extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);

__attribute__((visibility("default"))) void* malloc(std::size_t bytes) {
  return comity::testing::c_fails_now() ? nullptr : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t bytes) {
  return comity::testing::c_fails_now() ? nullptr : __libc_calloc(count, bytes);
}

__attribute__((visibility("default"))) void* realloc(void* memory, std::size_t bytes) {
  return comity::testing::c_fails_now() ? nullptr : __libc_realloc(memory, bytes);
}
}
