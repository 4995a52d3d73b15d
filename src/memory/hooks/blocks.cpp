// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/blocks.hpp"

#include <atomic>

#include "memory/hooks/look.hpp"
#include "memory/hooks/next.hpp"
#include "memory/hooks/site_sums.hpp"
#include "memory/hooks/sums.hpp"

namespace comity::memory::hooks {
namespace {

constinit std::atomic<std::uint64_t> strangers{0};

// The tag's part of what malloc gives is ours, not the program's.
bool is_range(std::size_t usable) { return usable >= kLeastRange_bytes; }

Known forget_range(void* block) {
  RangePlace* const place = blocks.find(reinterpret_cast<std::uintptr_t>(block));
  if (place == nullptr) return {};
  look_before_release(place->component(), place->bytes());
  const std::optional<Range> range = blocks.give_back(*place, reinterpret_cast<std::uintptr_t>(block));
  if (!range) return {};
  sums.add_range(range->component, -static_cast<std::int64_t>(range->bytes));
  site_sums.add(range->site, -static_cast<std::int64_t>(range->bytes));
  sums.add_seen(range->component, -static_cast<std::int64_t>(range->seen_bytes));
  return {true, Owner(range->component, range->site), range->bytes, range->seen_bytes};
}

// The end of a range is not touched, unless the table has no place for it: then it has a tag, which does not
// tell how much was asked for.
bool keep_as_range(void* block, std::size_t bytes, Owner owner, std::uint64_t seen_bytes) {
  const Range range{reinterpret_cast<std::uintptr_t>(block), bytes, seen_bytes, owner.component(), false, owner.site()};
  if (blocks.find(range.start) != nullptr) (void)forget_range(block);  // it was freed by a way that we do not see
  if (!blocks.insert(range)) return false;
  sums.add_range(owner.component(), static_cast<std::int64_t>(bytes));
  site_sums.add(owner.site(), static_cast<std::int64_t>(bytes));
  if (seen_bytes > 0) sums.add_seen(owner.component(), static_cast<std::int64_t>(seen_bytes));
  return true;
}

void add_small(Owner owner, std::size_t bytes) {
  const auto more = static_cast<std::int64_t>(bytes);
  if (const std::int64_t wide = wide_part(more); wide > 0) sums.add_wide(owner.component(), wide);
  sums.add_small(owner.component(), more, static_cast<std::int64_t>(kTag_bytes));
  site_sums.add(owner.site(), more);
}

// What nobody has looked at would have been there unseen. True where the common numbers have changed by it.
bool take_small(Owner owner, std::size_t bytes) {
  const auto less = static_cast<std::int64_t>(bytes);
  const std::int64_t wide = wide_part(less);
  if (wide > 0 && sums.wide_may_exceed_peak(owner.component())) (void)look(When::on_credit);
  const bool is_handed_on = sums.add_small(owner.component(), -less, -static_cast<std::int64_t>(kTag_bytes));
  site_sums.add(owner.site(), -less);
  if (wide > 0) sums.add_wide(owner.component(), -wide);
  return is_handed_on;
}

void tag_large_block(void* block, std::size_t usable, Owner owner) {
  put_tag(block, usable, {owner, kAllOfIt});
  add_small(owner, usable - kTag_bytes);
}

}  // namespace

void note_block(void* block, std::size_t bytes, Owner owner, std::uint64_t seen_bytes) noexcept {
  const std::size_t usable = usable_length(block);
  if (is_range(usable)) {
    if (!keep_as_range(block, bytes, owner, seen_bytes)) tag_large_block(block, usable, owner);
    return;
  }
  put_tag(block, usable, {owner, static_cast<std::uint16_t>(bytes)});
  add_small(owner, bytes);
}

Known forget_block(void* block) noexcept {
  const std::size_t usable = usable_length(block);
  if (is_range(usable)) {
    const Known known = forget_range(block);
    if (known.is_known) return known;
  }
  const std::optional<Tag> tag = tag_of(block, usable);
  if (!tag) {
    strangers.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  take_tag_away(block, usable);
  const std::size_t bytes = is_range(usable) ? usable - kTag_bytes : tag->bytes;
  const bool is_handed_on = take_small(tag->owner, bytes);
  return {true, tag->owner, bytes, 0, is_handed_on};
}

std::size_t usable_bytes(void* block) noexcept {
  const std::size_t usable = usable_length(block);
  return is_range(usable) || tag_of(block, usable) ? usable - kTag_bytes : usable;
}

std::uint64_t unknown_blocks() noexcept { return strangers.load(std::memory_order_relaxed); }

}  // namespace comity::memory::hooks
