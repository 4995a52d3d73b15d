// SPDX-License-Identifier: BSD-3-Clause
// The malloc family, as programs call it: who asked is noted, and the next malloc does the work. Source: malloc(3),
// posix_memalign(3), "Replacing malloc" in the GNU C Library's manual.
#include <cerrno>
#include <cstring>

#include "memory/hooks/blocks.hpp"
#include "memory/hooks/code/caller.hpp"
#include "memory/hooks/next.hpp"
#include "memory/hooks/program.hpp"
#include "memory/hooks/short_way.hpp"
#include "memory/hooks/site_sums.hpp"
#include "os/kernel.hpp"

namespace comity::memory::hooks {
namespace {

constexpr std::size_t kAlignment = alignof(std::max_align_t);

// To whatever place the next malloc moves it.
void* reallocated(void* block, std::size_t bytes, Owner owner) noexcept {
  const std::optional<std::size_t> more = with_tag(bytes);
  if (!more) return no_memory();
  const Known before = forget_block(block);
  void* const moved = next.realloc(block, bytes == 0 ? 0 : *more);
  if (moved != nullptr) {
    note_block(moved, bytes, owner, before.seen_bytes < bytes ? before.seen_bytes : bytes);
    site_sums.count_request(owner.site(), bytes);
  } else if (bytes != 0 && before.is_known) {
    note_block(block, before.bytes, before.owner, before.seen_bytes);
  }
  return moved;
}

void* out_of_store(const void* block, std::size_t bytes, Owner owner) noexcept {
  void* const moved = allocate_for(bytes, owner);
  const std::size_t most = store_bytes_behind(block);
  if (moved != nullptr) std::memcpy(moved, block, bytes < most ? bytes : most);
  return moved;
}

}  // namespace

void* allocate_aligned(std::size_t alignment, std::size_t bytes, Owner owner) noexcept {
  const std::optional<std::size_t> more = with_tag(bytes);
  return more ? noted(next.memalign(alignment, *more), bytes, owner) : no_memory();
}

}  // namespace comity::memory::hooks

namespace os = comity::os;
using namespace comity::memory::hooks;

extern "C" {

COMITY_SEEN_BY_PROGRAMS void* malloc(std::size_t bytes) { return allocate(bytes, call_site()); }

COMITY_SEEN_BY_PROGRAMS void free(void* block) { release(block); }

COMITY_SEEN_BY_PROGRAMS void* calloc(std::size_t count, std::size_t each) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return no_memory();
  if (!next_is_known()) return from_store(bytes, kAlignment);
  const std::optional<std::size_t> more = with_tag(bytes);
  return more ? noted(next.calloc(1, *more), bytes, owner_of(call_site())) : no_memory();
}

COMITY_SEEN_BY_PROGRAMS void* realloc(void* block, std::size_t bytes) {
  if (!next_is_known()) return from_store(bytes, kAlignment);  // the linker asks for none twice
  const Owner owner = owner_of(call_site());
  if (block == nullptr) return allocate_for(bytes, owner);
  return is_from_store(block) ? out_of_store(block, bytes, owner) : reallocated(block, bytes, owner);
}

COMITY_SEEN_BY_PROGRAMS void* reallocarray(void* block, std::size_t count, std::size_t each) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return no_memory();
  if (!next_is_known()) return from_store(bytes, kAlignment);
  const Owner owner = owner_of(call_site());
  if (block == nullptr) return allocate_for(bytes, owner);
  return is_from_store(block) ? out_of_store(block, bytes, owner) : reallocated(block, bytes, owner);
}

COMITY_SEEN_BY_PROGRAMS int posix_memalign(void** into, std::size_t alignment, std::size_t bytes) {
  const std::optional<std::size_t> more = with_tag(bytes);
  if (!more || !next_is_known()) return ENOMEM;
  const int result = next.posix_memalign(into, alignment, *more);
  if (result == 0) (void)noted(*into, bytes, owner_of(call_site()));
  return result;
}

COMITY_SEEN_BY_PROGRAMS void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (!next_is_known()) return from_store(bytes, alignment);
  const std::optional<std::size_t> more = with_tag(bytes);
  return more ? noted(next.aligned_alloc(alignment, *more), bytes, owner_of(call_site())) : no_memory();
}

COMITY_SEEN_BY_PROGRAMS void* memalign(std::size_t alignment, std::size_t bytes) {
  if (!next_is_known()) return from_store(bytes, alignment);
  return allocate_aligned(alignment, bytes, owner_of(call_site()));
}

COMITY_SEEN_BY_PROGRAMS void* valloc(std::size_t bytes) {
  if (!next_is_known()) return nullptr;
  return allocate_aligned(os::page_bytes(), bytes, owner_of(call_site()));
}

// Whole pages, of which the tag takes eight bytes of one more.
COMITY_SEEN_BY_PROGRAMS void* pvalloc(std::size_t bytes) {
  const std::size_t page = os::page_bytes();
  if (!next_is_known() || bytes > SIZE_MAX - 2 * page) return no_memory();
  return allocate_aligned(page, (bytes + page - 1) / page * page, owner_of(call_site()));
}

COMITY_SEEN_BY_PROGRAMS std::size_t malloc_usable_size(void* block) {
  if (block == nullptr) return 0;
  if (is_from_store(block)) return store_bytes_behind(block);
  return next_is_known() ? usable_bytes(block) : 0;
}

}  // extern "C"
