// SPDX-License-Identifier: BSD-3-Clause
// Calls: the functions that we stand before by the tables of those who call them, because others who stand before their
// names may be put out of work: UCX does so to a preloaded mmap. What stood in a table is what we call. Not: what is
// noted of a call (mappings, loading).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace comity::memory::hooks {

enum class Call : std::uint8_t { mmap, mmap64, munmap, mremap, shmat, shmdt, brk, sbrk, dlopen, dlsym, dlclose };

inline constexpr std::array kCallNames{"mmap", "mmap64", "munmap", "mremap", "shmat",  "shmdt",
                                       "brk",  "sbrk",   "dlopen", "dlsym",  "dlclose"};
inline constexpr std::size_t kCalls = kCallNames.size();

// Who stands before it.
[[nodiscard]] void* our_function(Call call) noexcept;

// What stood where we stand now.
extern constinit std::array<std::atomic<void*>, kCalls> following;

template <typename Function>
[[nodiscard]] Function* next_of(Call call) noexcept {
  return reinterpret_cast<Function*>(following[static_cast<std::size_t>(call)].load(std::memory_order_acquire));
}

// Changes the tables of all objects that have come since the last time, but for our own, the C library's and the allocator's.
void stand_before_calls() noexcept;
// Objects have gone: others may come in their places.
void forget_objects() noexcept;

}  // namespace comity::memory::hooks
