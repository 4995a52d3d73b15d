// SPDX-License-Identifier: BSD-3-Clause
// What the functions that programs call have in common.
#pragma once

#include <cstddef>

#include "memory/hooks/code/sites.hpp"

#define COMITY_SEEN_BY_PROGRAMS __attribute__((visibility("default"), noinline))

namespace comity::memory::hooks {

// Null, and errno, where there is no memory; the next malloc is known.
[[nodiscard]] void* allocate(std::size_t bytes, Owner owner) noexcept;
[[nodiscard]] void* allocate_aligned(std::size_t alignment, std::size_t bytes, Owner owner) noexcept;
void release(void* block) noexcept;

}  // namespace comity::memory::hooks
