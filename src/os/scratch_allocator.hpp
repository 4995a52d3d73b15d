// SPDX-License-Identifier: BSD-3-Clause
// ScratchAllocator: for vectors that are large for a while only. As Scratch, what is large is mapped, so that it goes back to the system at
// once: a malloc that has had a large block back keeps its like from then on, of the program too. Not: for values that stay.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <limits>
#include <new>

namespace comity::os {

template <typename Value>
struct ScratchAllocator {
  using value_type = Value;
  static constexpr std::size_t kLeastMapped_bytes = std::size_t{64} << 10U;

  ScratchAllocator() = default;
  template <typename Other>
  ScratchAllocator(const ScratchAllocator<Other>& /*unused*/) noexcept {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] Value* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(Value)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(Value);
    if (bytes < kLeastMapped_bytes) return static_cast<Value*>(::operator new(bytes));
    void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    return static_cast<Value*>(start);
  }
  void deallocate(Value* start, std::size_t count) noexcept {
    const std::size_t bytes = count * sizeof(Value);
    if (bytes < kLeastMapped_bytes) {
      ::operator delete(start);
    } else {
      ::munmap(start, bytes);
    }
  }
  friend bool operator==(const ScratchAllocator& /*unused*/, const ScratchAllocator& /*unused*/) noexcept {
    return true;
  }
};

}  // namespace comity::os
