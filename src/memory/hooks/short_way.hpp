// SPDX-License-Identifier: BSD-3-Clause
// ShortWay: malloc and free of small blocks where glibc's malloc is behind us and nobody asks for call paths, as in most programs. What is left to do
// then takes few instructions and calls nobody but that malloc: whatever else comes up goes on by the long way, to which these jump. Not: what
// is done there (blocks, program).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/hooks/blocks.hpp"
#include "memory/hooks/code/caller.hpp"
#include "memory/hooks/next.hpp"
#include "memory/hooks/sums.hpp"
#include "memory/hooks/tag.hpp"

namespace comity::memory::hooks {

extern constinit std::atomic<bool> short_way_is_open;
// Where the next malloc has just been found, or paths are told from here on.
void choose_way() noexcept;

// Long ways, each from where the short one has come to.
[[gnu::cold]] void* allocate_by_long_way(std::size_t bytes, CallSite site) noexcept;
[[gnu::cold]] void* note_by_long_way(void* block, std::size_t bytes, Owner owner) noexcept;
[[gnu::cold]] void* hand_on_allocated(void* block, Component component) noexcept;
[[gnu::cold]] void release_by_long_way(void* block) noexcept;
[[gnu::cold]] void hand_on_and_free(void* block, Component component) noexcept;

// What the word in front of a block says, which glibc has written. False: the block is a mapping by itself.
[[nodiscard]] inline bool is_in_heap(std::size_t word) noexcept { return (word & kIsMapping) == 0; }

[[gnu::always_inline]] inline void* allocate(std::size_t bytes, CallSite site) noexcept {
  if (bytes > kMostNarrow_bytes || !short_way_is_open.load(std::memory_order_acquire)) [[unlikely]]
    return allocate_by_long_way(bytes, site);
  const Owner owner = known_owner_of(site);
  void* const block = next.malloc(with_tag_below(bytes));
  if (block == nullptr) [[unlikely]]
    return nullptr;
  const std::size_t word = word_in_front(block);
  Desk* const desk = my_desk;
  if (!is_in_heap(word) || desk == nullptr) [[unlikely]]
    return note_by_long_way(block, bytes, owner);
  put_tag(block, length_in(word), {owner, static_cast<std::uint16_t>(bytes)});
  const auto more = static_cast<std::int64_t>(bytes);
  if (!Sums::add_here(*desk, owner.component(), more, static_cast<std::int64_t>(kTag_bytes))) [[unlikely]]
    return hand_on_allocated(block, owner.component());
  return block;
}

// The check of a block that nobody has noted fails, whatever stands in front of it.
[[gnu::always_inline]] inline void release(void* block) noexcept {
  if (block == nullptr) return;
  if (!short_way_is_open.load(std::memory_order_acquire) || is_from_store(block)) [[unlikely]]
    return release_by_long_way(block);
  const std::size_t word = word_in_front(block);
  const std::size_t usable = length_in(word);
  Desk* const desk = my_desk;
  if (!is_in_heap(word) || usable - kTag_bytes >= kLeastRange_bytes || desk == nullptr) [[unlikely]]
    return release_by_long_way(block);
  const std::uint64_t tag_word = tag_word_of(block, usable);
  const Tag tag = content_of(tag_word);
  if (!is_tag_at(reinterpret_cast<std::uintptr_t>(tag_place(block, usable)), tag_word) || tag.bytes > kMostNarrow_bytes)
      [[unlikely]]
    return release_by_long_way(block);
  take_tag_away(block, usable);
  const Component component = tag.owner.component();
  if (!Sums::add_here(*desk, component, -std::int64_t{tag.bytes}, -static_cast<std::int64_t>(kTag_bytes))) [[unlikely]]
    return hand_on_and_free(block, component);
  next.free(block);
}

}  // namespace comity::memory::hooks
