// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/ranges.hpp"

namespace comity::memory::hooks {
namespace {

constexpr std::uint32_t kComponents = 256;
constexpr std::uint32_t kShared = kComponents;
constexpr unsigned kSiteAt = 16;

std::uint32_t word_of(const Range& range) {
  return std::uint32_t{range.site} << kSiteAt | (range.is_shared ? kShared : 0) |
         static_cast<std::uint32_t>(range.component);
}

void take_owner(std::uint32_t word, Range& range) {
  range.component = static_cast<Component>(word % kComponents);
  range.is_shared = (word & kShared) != 0;
  range.site = static_cast<SiteNumber>(word >> kSiteAt);
}

}  // namespace

bool RangePlace::try_to_take(const Range& range) noexcept {
  std::uintptr_t key = key_.load(std::memory_order_relaxed);
  if (key != 0 && key != kGivenBack) return false;
  if (!key_.compare_exchange_strong(key, kInHand, std::memory_order_acquire)) return false;
  bytes_.store(range.bytes, std::memory_order_relaxed);
  seen_.fetch_add(range.seen_bytes,
                  std::memory_order_relaxed);  // a late look may have left something, and takes it back
  owner_.store(word_of(range), std::memory_order_relaxed);
  key_.store(range.start, std::memory_order_release);
  return true;
}

std::optional<Range> RangePlace::read() const noexcept {
  const std::uintptr_t start = key_.load(std::memory_order_acquire);
  if (start == 0 || start == kGivenBack || start == kInHand) return std::nullopt;
  Range range;
  range.start = start;
  range.bytes = bytes_.load(std::memory_order_relaxed);
  range.seen_bytes = seen_.load(std::memory_order_relaxed);
  take_owner(owner_.load(std::memory_order_relaxed), range);
  std::atomic_thread_fence(std::memory_order_acquire);  // the fields are of the range that the key was read of
  if (!holds(start)) return std::nullopt;
  return range;
}

Component RangePlace::component() const noexcept {
  return static_cast<Component>(owner_.load(std::memory_order_relaxed) % kComponents);
}

std::optional<Range> RangePlace::give_back(std::uintptr_t start) noexcept {
  std::uintptr_t key = start;
  if (!key_.compare_exchange_strong(key, kInHand, std::memory_order_acq_rel)) return std::nullopt;
  Range range;
  range.start = start;
  range.bytes = bytes_.load(std::memory_order_relaxed);
  take_owner(owner_.load(std::memory_order_relaxed), range);
  range.seen_bytes = seen_.exchange(0, std::memory_order_acq_rel);
  key_.store(kGivenBack, std::memory_order_release);
  return range;
}

std::int64_t RangePlace::set_seen(std::uintptr_t start, std::uint64_t bytes) noexcept {
  if (!holds(start)) return 0;
  auto grown =
      static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(seen_.exchange(bytes, std::memory_order_acq_rel));
  // Given back meanwhile: the one who did so has counted what was seen before, or this. Either way the sum is right again
  // with this.
  if (!holds(start)) grown -= static_cast<std::int64_t>(seen_.exchange(0, std::memory_order_acq_rel));
  return grown;
}

// Large blocks begin near the starts of pages.
std::size_t BlockTable::own_place(std::uintptr_t start) noexcept {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>((static_cast<std::uint64_t>(start) * kSpread) >> (64U - kPlaceBits));
}

bool BlockTable::insert(const Range& range) noexcept {
  const std::size_t own = own_place(range.start);
  for (std::size_t i = 0; i < kFarthest; ++i) {
    const std::size_t index = (own + i) % kPlaces;
    if (!places_[index].try_to_take(range)) continue;
    taken_[index / kWordBits].fetch_or(std::uint64_t{1} << index % kWordBits, std::memory_order_release);
    return true;
  }
  return false;
}

// The bit first: as long as the place is not given back nobody else takes it.
std::optional<Range> BlockTable::give_back(RangePlace& place, std::uintptr_t start) noexcept {
  const auto index = static_cast<std::size_t>(&place - places_.data());
  const std::uint64_t bit = std::uint64_t{1} << index % kWordBits;
  taken_[index / kWordBits].fetch_and(~bit, std::memory_order_relaxed);
  std::optional<Range> range = place.give_back(start);
  if (!range) taken_[index / kWordBits].fetch_or(bit, std::memory_order_relaxed);  // another range may be there by now
  return range;
}

// By the bits, which are few: of a table that was ever full each place would have to be looked at.
RangePlace* BlockTable::find(std::uintptr_t start) noexcept {
  const std::size_t own = own_place(start);
  for (std::size_t i = 0; i < kFarthest; ++i) {
    const std::size_t index = (own + i) % kPlaces;
    const std::uint64_t bits = taken_[index / kWordBits].load(std::memory_order_acquire) >> index % kWordBits;
    if (bits == 0) {
      i += kWordBits - 1 - index % kWordBits;  // none up to the word's end
      continue;
    }
    i += static_cast<std::size_t>(std::countr_zero(bits));
    RangePlace& place = places_[(own + i) % kPlaces];
    if (i < kFarthest && place.holds(start)) return &place;
  }
  return nullptr;
}

}  // namespace comity::memory::hooks
