// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/mappings.hpp"

#include <algorithm>

#include "memory/hooks/look.hpp"
#include "memory/hooks/sums.hpp"

namespace comity::memory::hooks {
namespace {

void add_up(const Range& range, std::int64_t sign) {
  sums.add_range(range.component, sign * static_cast<std::int64_t>(range.bytes));
  sums.add_seen(range.component, sign * static_cast<std::int64_t>(range.seen_bytes));
}

// Of what was seen of the whole a part keeps what it can hold, until it is looked at again.
Range part_of(const Range& whole, std::uintptr_t start, std::uintptr_t end) {
  Range part = whole;
  part.start = start;
  part.bytes = end - start;
  part.seen_bytes = std::min(whole.seen_bytes, part.bytes);
  return part;
}

}  // namespace

constinit Mappings mappings;

void Mappings::add(const Range& range) noexcept {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (!places_[i].try_to_take(range)) continue;
    std::size_t used = used_.load(std::memory_order_relaxed);
    while (used <= i && !used_.compare_exchange_weak(used, i + 1, std::memory_order_release)) {
    }
    return add_up(range, 1);
  }
}

void Mappings::remove(std::uintptr_t start, std::uint64_t bytes) noexcept {
  const std::uintptr_t end = start + bytes;
  for (RangePlace& place : places()) {
    const std::optional<Range> there = place.read();
    if (!there || there->start >= end || there->start + there->bytes <= start) continue;
    look_before_release(there->component);
    const Range gone = place.give_back();
    add_up(gone, -1);
    const std::uintptr_t gone_end = gone.start + gone.bytes;
    if (gone.start < start) add(part_of(gone, gone.start, start));
    if (gone_end > end) add(part_of(gone, end, gone_end));
  }
}

Range Mappings::starting_at(std::uintptr_t start) noexcept {
  for (const RangePlace& place : places()) {
    if (place.holds(start)) return place.read().value_or(Range{});
  }
  return {};
}

}  // namespace comity::memory::hooks
