// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/short_way.hpp"

#include "memory/hooks/look.hpp"
#include "memory/hooks/program.hpp"

namespace comity::memory::hooks {

constinit std::atomic<bool> short_way_is_open{false};

void choose_way() noexcept {
  const bool is_plain =
      next.usable != nullptr && next.length_is_in_front && !paths_are_told.load(std::memory_order_relaxed);
  short_way_is_open.store(is_plain, std::memory_order_release);
}

// While the next malloc is searched for memory comes from our own store.
void* allocate_by_long_way(std::size_t bytes, CallSite site) noexcept {
  if (!next_is_known()) return from_store(bytes, alignof(std::max_align_t));
  return allocate_for(bytes, owner_of(site));
}

void* note_by_long_way(void* block, std::size_t bytes, Owner owner) noexcept {
  note_block(block, bytes, owner);
  return block;
}

void* hand_on_allocated(void* block, Component component) noexcept {
  sums.hand_on_here(component);
  return block;
}

void release_by_long_way(void* block) noexcept {
  if (is_from_store(block) || !next_is_known()) return;
  const Known known = forget_block(block);
  if (known.is_handed_on && known.bytes <= kMostNarrow_bytes) look_behind_fall(known.owner.component());
  next.free(block);
}

void hand_on_and_free(void* block, Component component) noexcept {
  sums.hand_on_here(component);
  look_behind_fall(component);
  next.free(block);
}

}  // namespace comity::memory::hooks
