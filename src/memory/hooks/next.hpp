// SPDX-License-Identifier: BSD-3-Clause
// Next: the malloc that would be called if we were not here, glibc's or one that stands in for it. While it is searched for the
// linker may ask for memory itself, which then comes from a small store of our own, and is never given back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace comity::memory::hooks {

struct Next {
  void* (*malloc)(std::size_t) noexcept = nullptr;
  void* (*calloc)(std::size_t, std::size_t) noexcept = nullptr;
  void* (*realloc)(void*, std::size_t) noexcept = nullptr;
  void (*free)(void*) noexcept = nullptr;
  int (*posix_memalign)(void**, std::size_t, std::size_t) noexcept = nullptr;
  void* (*aligned_alloc)(std::size_t, std::size_t) noexcept = nullptr;
  void* (*memalign)(std::size_t, std::size_t) noexcept = nullptr;
  std::size_t (*usable)(void*) noexcept = nullptr;
  bool length_is_in_front = false;  // of each block, as glibc's malloc writes it
};

extern constinit Next next;

// Whether it can be called. False: this thread is inside the search.
[[nodiscard]] bool search_next() noexcept;
[[nodiscard]] inline bool next_is_known() noexcept { return next.usable != nullptr || search_next(); }

// What can be used of a block, as malloc_usable_size() tells. Glibc reads it from the word in front of the block, whose last three bits tell
// other things: to read that here saves two calls a pair of malloc and free. Of a block that is a mapping by itself glibc is asked.
inline constexpr std::size_t kIsMapping = 2;  // of these bits
[[nodiscard]] inline std::size_t word_in_front(const void* block) noexcept {
  return static_cast<const std::size_t*>(block)[-1];
}
[[nodiscard]] inline std::size_t length_in(std::size_t word) noexcept {
  constexpr std::size_t kFlags = 7;
  return (word & ~kFlags) - sizeof word;
}
[[nodiscard]] inline std::size_t usable_length(void* block) noexcept {
  if (next.length_is_in_front) {
    const std::size_t word = word_in_front(block);
    if ((word & kIsMapping) == 0) return length_in(word);
  }
  return next.usable(block);
}

// All zero. Null where it is empty.
[[nodiscard]] void* from_store(std::size_t bytes, std::size_t alignment) noexcept;
inline constexpr std::size_t kStore_bytes = std::size_t{32} << 10U;
inline constexpr std::size_t kStoreAlignment = 64;
extern constinit std::array<std::byte, kStore_bytes> store;
[[nodiscard]] inline bool is_from_store(const void* block) noexcept {
  return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(store.data()) < kStore_bytes;
}
// At the most: up to the end of the store.
[[nodiscard]] std::size_t store_bytes_behind(const void* block) noexcept;

}  // namespace comity::memory::hooks
