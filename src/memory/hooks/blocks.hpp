// SPDX-License-Identifier: BSD-3-Clause
// Blocks: what malloc hands out, as it is told to us and taken back: small ones have a tag, larger ones are ranges. Not:
// who asked (caller), the functions that programs call (malloc, operators).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "memory/hooks/look.hpp"
#include "memory/hooks/next.hpp"
#include "memory/hooks/site_sums.hpp"
#include "memory/hooks/sums.hpp"
#include "memory/hooks/tag.hpp"

namespace comity::memory::hooks {

// What to ask the next malloc for: words, so that the tag stands on one where the malloc gives no byte more. None: more
// than there can be.
[[nodiscard]] inline std::optional<std::size_t> with_tag(std::size_t bytes) noexcept {
  const std::size_t more = (bytes + 2 * kTag_bytes - 1) & ~(kTag_bytes - 1);
  return more < bytes ? std::nullopt : std::optional(more);
}

// Blocks up to this size have no wide part, and are most of all there are: they are noted and forgotten without a call (short_way).
inline constexpr std::size_t kMostNarrow_bytes = 4096;
static_assert(wide_part(kMostNarrow_bytes) == 0);

// The same for one of that size at the most.
[[nodiscard]] inline std::size_t with_tag_below(std::size_t narrow_bytes) noexcept {
  return (narrow_bytes + 2 * kTag_bytes - 1) & ~(kTag_bytes - 1);
}

// `block` was handed out for a request of so many bytes, with_tag(bytes). Seen: what is known to be resident of it.
void note_block(void* block, std::size_t bytes, Owner owner, std::uint64_t seen_bytes = 0) noexcept;

// The same of one that nothing is known of.
[[gnu::always_inline]] inline void note_new_block(void* block, std::size_t bytes, Owner owner) noexcept {
  const std::size_t usable = usable_length(block);
  if (bytes > kMostNarrow_bytes || usable >= kLeastRange_bytes) [[unlikely]]
    return note_block(block, bytes, owner);
  put_tag(block, usable, {owner, static_cast<std::uint16_t>(bytes)});
  sums.add_small(owner.component(), static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(kTag_bytes));
  site_sums.add(owner.site(), static_cast<std::int64_t>(bytes));
}

// What was known of a block: it can be noted again where it is not freed after all.
struct Known {
  bool is_known = false;  // else it was handed out before anybody watched, or its tail was overwritten
  Owner owner;
  std::size_t bytes = 0;  // as it was asked for
  std::uint64_t seen_bytes = 0;
  bool is_handed_on = false;  // the common numbers have changed by it
};
// Before the next malloc has it back.
[[nodiscard]] Known forget_block(void* block) noexcept;

// What the program may use of it.
[[nodiscard]] std::size_t usable_bytes(void* block) noexcept;

// Blocks that came back and were not known.
[[nodiscard]] std::uint64_t unknown_blocks() noexcept;

}  // namespace comity::memory::hooks
