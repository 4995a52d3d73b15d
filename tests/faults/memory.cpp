// SPDX-License-Identifier: BSD-3-Clause
#include "faults/memory.hpp"

#include <cerrno>
#include <cstdlib>
#include <new>

namespace comity::testing {
namespace {

bool counting = false;
bool counting_c = false;
bool malloc_is_ours = false;  // malloc asks c_fails_now(), as it has done before main()
bool failed = false;
long left = 0;  // allocations that still succeed
const void* refused = nullptr;
Shortage kind = Shortage::one_allocation;

bool fails_now() {
  if (!counting) return false;
  if (--left >= 0) return false;
  const bool now = kind == Shortage::from_then_on || !failed;
  failed = true;
  return now;
}

// Null: out of memory.
void* find_memory(std::size_t bytes, std::size_t alignment, const void* caller) {
  if (!counting_c && fails_now()) {
    refused = caller;
    return nullptr;
  }
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  return alignment <= alignof(std::max_align_t) ? std::malloc(bytes == 0 ? 1 : bytes)
                                                : std::aligned_alloc(alignment, whole);
}

void* allocate(std::size_t bytes, std::size_t alignment, const void* caller) {
  void* const memory = find_memory(bytes, alignment, caller);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

bool can_refuse_c() noexcept { return malloc_is_ours; }

bool c_fails_now() noexcept {
  malloc_is_ours = true;
  if (!counting_c || !fails_now()) return false;
  errno = ENOMEM;
  return true;
}

void run_out_of_memory(long nth, Shortage shortage, Allocations which) noexcept {
  left = nth - 1;
  kind = shortage;
  failed = false;
  counting_c = which == Allocations::of_c_too;
  counting = true;
}

bool end_shortage() noexcept {
  counting = false;
  counting_c = false;
  return failed;
}

const void* refused_caller() noexcept { return refused; }

MemoryForTheTest::MemoryForTheTest() noexcept : before_(counting) { counting = false; }
MemoryForTheTest::~MemoryForTheTest() { counting = before_; }

}  // namespace comity::testing

using comity::testing::allocate;
using comity::testing::find_memory;

// Each form, so that a caller is known, and that a sanitizer does not meet memory of one form in the other's delete. Arrays
// of more than the usual alignment have theirs from the library.
void* operator new(std::size_t bytes) { return allocate(bytes, 1, __builtin_return_address(0)); }
void* operator new[](std::size_t bytes) { return allocate(bytes, 1, __builtin_return_address(0)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return find_memory(bytes, 1, __builtin_return_address(0));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return find_memory(bytes, 1, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
