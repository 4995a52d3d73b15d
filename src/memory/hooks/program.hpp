// SPDX-License-Identifier: BSD-3-Clause
// What the functions that programs call have in common.
#pragma once

#include <cerrno>
#include <cstddef>

#include "memory/hooks/blocks.hpp"
#include "memory/hooks/code/sites.hpp"
#include "memory/hooks/next.hpp"
#include "memory/hooks/site_sums.hpp"

#define COMITY_SEEN_BY_PROGRAMS __attribute__((visibility("default"), noinline))

namespace comity::memory::hooks {

[[gnu::cold]] inline void* no_memory() noexcept {
  errno = ENOMEM;
  return nullptr;
}

[[gnu::always_inline]] inline void* noted(void* block, std::size_t bytes, Owner owner) noexcept {
  if (block == nullptr) return nullptr;
  note_new_block(block, bytes, owner);
  site_sums.count_request(owner.site(), bytes);
  return block;
}

// Null, and errno, where there is no memory; the next malloc is known.
inline void* allocate_for(std::size_t bytes, Owner owner) noexcept {
  const std::optional<std::size_t> more = with_tag(bytes);
  return more ? noted(next.malloc(*more), bytes, owner) : no_memory();
}
[[nodiscard]] void* allocate_aligned(std::size_t alignment, std::size_t bytes, Owner owner) noexcept;

}  // namespace comity::memory::hooks
