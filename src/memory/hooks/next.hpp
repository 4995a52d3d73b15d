// SPDX-License-Identifier: BSD-3-Clause
// Next: the malloc that would be called if we were not here, glibc's or one that stands in for it. While it is searched for the
// linker may ask for memory itself, which then comes from a small store of our own, and is never given back.
#pragma once

#include <array>
#include <cstddef>

namespace comity::memory::hooks {

struct Next {
  void* (*malloc)(std::size_t) = nullptr;
  void* (*calloc)(std::size_t, std::size_t) = nullptr;
  void* (*realloc)(void*, std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
  int (*posix_memalign)(void**, std::size_t, std::size_t) = nullptr;
  void* (*aligned_alloc)(std::size_t, std::size_t) = nullptr;
  void* (*memalign)(std::size_t, std::size_t) = nullptr;
  std::size_t (*usable)(void*) = nullptr;
};

extern constinit Next next;

// Whether it can be called. False: this thread is inside the search.
[[nodiscard]] bool search_next() noexcept;
[[nodiscard]] inline bool next_is_known() noexcept { return next.usable != nullptr || search_next(); }

// All zero. Null where it is empty.
[[nodiscard]] void* from_store(std::size_t bytes, std::size_t alignment) noexcept;
[[nodiscard]] bool is_from_store(const void* block) noexcept;
// At the most: up to the end of the store.
[[nodiscard]] std::size_t store_bytes_behind(const void* block) noexcept;

}  // namespace comity::memory::hooks
