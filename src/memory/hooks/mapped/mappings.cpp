// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/mapped/mappings.hpp"

#include <algorithm>
#include <optional>

#include "memory/hooks/look.hpp"
#include "memory/hooks/site_sums.hpp"
#include "memory/hooks/sums.hpp"

namespace comity::memory::hooks {
namespace {

void add_up(const Range& range, std::int64_t sign) {
  sums.add_range(range.component, sign * static_cast<std::int64_t>(range.bytes));
  site_sums.add(range.site, sign * static_cast<std::int64_t>(range.bytes));
  sums.add_seen(range.component, sign * static_cast<std::int64_t>(range.seen_bytes));
}

bool overlaps(const Range& range, std::uintptr_t start, std::uintptr_t end) {
  return range.start < end && range.start + range.bytes > start;
}

// Of what was seen of the whole a part keeps what it can hold, until it is looked at again, and the next one the rest.
Range part_of(const Range& whole, std::uintptr_t start, std::uintptr_t end, std::uint64_t& seen_bytes) {
  Range part = whole;
  part.start = start;
  part.bytes = end - start;
  part.seen_bytes = std::min(seen_bytes, part.bytes);
  seen_bytes -= part.seen_bytes;
  return part;
}

}  // namespace

constinit Mappings mappings;

void Mappings::add(const Range& range) noexcept {
  if (put(range)) return add_up(range, 1);
  count_unplaced({1, static_cast<std::int64_t>(range.bytes)});
}

bool Mappings::put(const Range& range) noexcept {
  const std::optional<std::size_t> number = free_.take();
  if (!number) return false;
  if (!index_.insert(range.start, range.bytes, *number)) {
    free_.give_back(*number);
    return false;
  }
  std::size_t used = used_.load(std::memory_order_relaxed);
  while (used <= *number && !used_.compare_exchange_weak(used, *number + 1, std::memory_order_release)) {
  }
  return places_[*number].try_to_take(range);  // nobody else has the number
}

// Of what is longer than all that lies in it together the index has too many buckets: then the table itself is gone over.
template <typename Step>
void Mappings::for_each_in(std::uintptr_t start, std::uintptr_t end, Step&& step) noexcept {
  const auto see = [&](std::size_t number) {
    const std::optional<Range> there = places_[number].read();
    if (there && overlaps(*there, start, end)) step(number, *there);
  };
  constexpr std::size_t kFewBuckets = 64;
  const std::size_t used = used_.load(std::memory_order_acquire);
  if (index_.for_each_near(start, end, kFewBuckets + used / 4, see)) return;
  for (std::size_t number = 0; number < used; ++number) see(number);
}

void Mappings::look_before_removal(std::uintptr_t start, std::uint64_t bytes) noexcept {
  for_each_in(start, start + bytes,
              [](std::size_t /*number*/, const Range& there) { look_before_release(there.component, there.bytes); });
}

void Mappings::take_away(std::uintptr_t start, std::uint64_t bytes, Before before, Parts* gone) noexcept {
  const std::uintptr_t end = start + bytes;
  bool all_are_mine = false;
  while (!all_are_mine) {  // another thread that cut the same mapping has left its parts in other places
    all_are_mine = true;
    for_each_in(start, end, [&](std::size_t number, const Range& there) {
      if (before == Before::look) look_before_release(there.component, there.bytes);
      const std::optional<Range> whole = places_[number].give_back(there.start);
      if (!whole) {
        all_are_mine = false;
        return;
      }
      index_.remove(whole->start, whole->bytes, number);
      free_.give_back(number);
      cut(*whole, start, end, gone);
    });
  }
}

// What stood in a place that is free by now loses what lies between the two.
void Mappings::cut(const Range& whole, std::uintptr_t start, std::uintptr_t end, Parts* gone) noexcept {
  add_up(whole, -1);
  const std::uintptr_t whole_end = whole.start + whole.bytes;
  const std::uintptr_t first = std::max(whole.start, start);
  const std::uintptr_t last = std::min(whole_end, end);
  std::uint64_t seen_bytes = whole.seen_bytes;
  if (whole.start < start) add(part_of(whole, whole.start, std::min(start, whole_end), seen_bytes));
  if (whole_end > end) add(part_of(whole, std::max(whole.start, end), whole_end, seen_bytes));
  if (gone == nullptr || first >= last) return;
  if (gone->count < gone->parts.size()) {
    gone->parts[gone->count++] = part_of(whole, first, last, seen_bytes);
  } else {
    ++gone->others.mappings;
    gone->others.bytes += static_cast<std::int64_t>(last - first);
  }
}

Mappings::Parts Mappings::take_out(std::uintptr_t start, std::uint64_t bytes) noexcept {
  Parts gone;
  take_away(start, bytes, Before::look, &gone);
  return gone;
}

Range Mappings::at(std::uintptr_t address) noexcept {
  Range found;
  for_each_in(address, address + 1, [&](std::size_t /*number*/, const Range& there) { found = there; });
  return found;
}

}  // namespace comity::memory::hooks
