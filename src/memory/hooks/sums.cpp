// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/sums.hpp"

#include <pthread.h>

#include <algorithm>

#include "memory/hooks/site_sums.hpp"

namespace comity::memory::hooks {
namespace {

constinit pthread_key_t end_of_thread{};
constinit std::atomic<bool> ends_are_noticed{false};

// Of a thread that ends: what is freed in its name later goes to the common numbers, for nobody would give back its next desk.
constinit thread_local bool has_left __attribute__((tls_model("initial-exec"))) = false;

void leave_desk(void* desk) {
  my_desk = nullptr;
  has_left = true;
  static_cast<Desk*>(desk)->taken.store(false, std::memory_order_release);
}

void raise(std::atomic<std::int64_t>& most, std::int64_t now) noexcept {
  std::int64_t known = most.load(std::memory_order_relaxed);
  while (now > known && !most.compare_exchange_weak(known, now, std::memory_order_relaxed)) {
  }
}

}  // namespace

constinit thread_local Desk* my_desk __attribute__((tls_model("initial-exec"))) = nullptr;
constinit Sums sums;
constinit SiteSums site_sums;

void Sums::notice_ends_of_threads() noexcept {
  if (::pthread_key_create(&end_of_thread, &leave_desk) == 0) ends_are_noticed.store(true, std::memory_order_release);
}

// The desk is this thread's before the key is set: the system may ask for memory there.
Desk* Sums::sit_down() noexcept {
  for (Desk& desk : desks_) {
    if (desk.taken.load(std::memory_order_relaxed) || desk.taken.exchange(true, std::memory_order_acquire)) continue;
    const auto used = static_cast<std::size_t>(&desk - desks_.data()) + 1;
    std::size_t known = desks_used_.load(std::memory_order_relaxed);
    while (known < used && !desks_used_.compare_exchange_weak(known, used, std::memory_order_release)) {
    }
    my_desk = &desk;
    if (ends_are_noticed.load(std::memory_order_acquire)) (void)::pthread_setspecific(end_of_thread, &desk);
    return &desk;
  }
  return nullptr;
}

bool Sums::add_without_desk(Component component, std::int64_t bytes, std::int64_t tag_bytes) noexcept {
  if (!has_left && sit_down() != nullptr) return add_small(component, bytes, tag_bytes);
  hand_on(component, bytes);
  hand_on(Component::comity, tag_bytes);
  return true;
}

void Sums::hand_on_here(Component component) noexcept {
  Desk& desk = *my_desk;
  std::atomic<std::int64_t>& mine = desk.bytes[static_cast<std::size_t>(component)];
  const std::int64_t bytes = mine.load(std::memory_order_relaxed);
  mine.store(0, std::memory_order_relaxed);
  desk.note_change();
  hand_on(component, bytes);
  hand_on_tags(desk);
}

// With the blocks that they stand behind, so that a block costs no more comparison for its tag; and not with each of large ones.
void Sums::hand_on_tags(Desk& desk) noexcept {
  constexpr std::int64_t kFew_bytes = kHandOn_bytes / 8;
  const std::int64_t bytes = desk.tag_bytes.load(std::memory_order_relaxed);
  if (bytes < kFew_bytes && bytes > -kFew_bytes) return;
  desk.tag_bytes.store(0, std::memory_order_relaxed);
  hand_on(Component::comity, bytes);
}

void Sums::hand_on(Component component, std::int64_t bytes) noexcept {
  Common& common = common_[static_cast<std::size_t>(component)];
  common.small.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes > 0) raise_peaks(common);
}

void Sums::add_range(Component component, std::int64_t bytes) noexcept {
  Common& common = common_[static_cast<std::size_t>(component)];
  common.range.fetch_add(bytes, std::memory_order_relaxed);
  if (my_desk != nullptr) my_desk->note_change();
  if (bytes > 0) raise_peaks(common);
}

void Sums::add_seen(Component component, std::int64_t bytes) noexcept {
  Common& common = common_[static_cast<std::size_t>(component)];
  common.seen.fetch_add(bytes, std::memory_order_relaxed);
  if (bytes > 0) raise_peaks(common);
}

void Sums::raise_peaks(Common& common) noexcept {
  if (drops_peaks_.load(std::memory_order_relaxed)) return;
  const std::int64_t small = common.small.load(std::memory_order_relaxed);
  raise(common.most_asked, small + common.range.load(std::memory_order_relaxed));
  raise(common.most_resident, small - untouched(common) + common.seen.load(std::memory_order_relaxed));
}

std::int64_t Sums::resident(const Common& common) const noexcept {
  return common.small.load(std::memory_order_relaxed) - untouched(common) + common.seen.load(std::memory_order_relaxed);
}

// A wide part that has come since is taken not to be resident until it is settled, as a range is until it is looked at.
std::int64_t Sums::untouched(const Common& common) const noexcept {
  const std::int64_t wide = common.wide.load(std::memory_order_relaxed);
  const std::int64_t settled = std::min(wide, common.settled.load(std::memory_order_relaxed));
  const double share = share_.load(std::memory_order_relaxed);
  return wide - (share >= 1 ? settled : static_cast<std::int64_t>(share * static_cast<double>(settled)));
}

std::int64_t Sums::wide_bytes() const noexcept {
  std::int64_t wide = 0;
  for (const Common& common : common_) wide += common.wide.load(std::memory_order_relaxed);
  return wide;
}

std::int64_t Sums::left_for_wide(const Room& room) const noexcept {
  std::int64_t narrow = 0;
  std::int64_t seen = 0;
  for (const Common& common : common_) {
    narrow += common.small.load(std::memory_order_relaxed) - common.wide.load(std::memory_order_relaxed);
    seen += common.seen.load(std::memory_order_relaxed);
  }
  const std::int64_t in_all = room.resident_bytes - beside_.load(std::memory_order_relaxed) - seen;
  return std::max(in_all, room.heap_bytes) - narrow;
}

void Sums::settle_on(double share) noexcept {
  share_.store(share, std::memory_order_relaxed);
  for (Common& common : common_) {
    const std::int64_t wide = common.wide.load(std::memory_order_relaxed);
    common.settled.store(wide, std::memory_order_relaxed);
    if (wide == 0) continue;
    if (!drops_peaks_.load(std::memory_order_relaxed)) raise(common.most_untouched, untouched(common));
    raise_peaks(common);
  }
}

Excess Sums::excess_over_peak(Component component) const noexcept {
  constexpr std::int64_t kLittle_bytes = std::int64_t{64} << 10U;
  constexpr std::int64_t kMuch_bytes = std::int64_t{1} << 20U;
  if (drops_peaks_.load(std::memory_order_relaxed)) return Excess::none;
  const Common& common = common_[static_cast<std::size_t>(component)];
  const std::int64_t known = common.most_resident.load(std::memory_order_relaxed);
  const std::int64_t possible =
      common.small.load(std::memory_order_relaxed) + common.range.load(std::memory_order_relaxed);
  const std::int64_t beyond = possible - known;
  if (beyond <= std::max(kLittle_bytes, known / 128)) return Excess::none;
  return beyond <= kMuch_bytes ? Excess::little : Excess::much;
}

bool Sums::wide_may_exceed_peak(Component component) const noexcept {
  constexpr std::int64_t kMatters_bytes = std::int64_t{64} << 10U;
  if (drops_peaks_.load(std::memory_order_relaxed)) return false;
  const Common& common = common_[static_cast<std::size_t>(component)];
  const std::int64_t wide = common.wide.load(std::memory_order_relaxed);
  const std::int64_t known = common.most_resident.load(std::memory_order_relaxed);
  const std::int64_t matters = std::max(kMatters_bytes, known / 128);
  if (wide - common.settled.load(std::memory_order_relaxed) <= matters) return false;
  return common.small.load(std::memory_order_relaxed) + common.seen.load(std::memory_order_relaxed) > known + matters;
}

// Of small blocks that nobody looks at before they go. As long as it has hardly fallen the look sees that peak.
bool Sums::leaves_unseen_peak(Component component) const noexcept {
  constexpr std::int64_t kMatters_bytes = std::int64_t{1} << 20U;
  if (drops_peaks_.load(std::memory_order_relaxed)) return false;
  const Common& common = common_[static_cast<std::size_t>(component)];
  const std::int64_t looked = looked_[static_cast<std::size_t>(component)].load(std::memory_order_relaxed);
  const std::int64_t most = common.most_resident.load(std::memory_order_relaxed);
  if (most <= looked + std::max(kMatters_bytes, looked / 128)) return false;
  return is_hardly_less(resident(common), most);
}

void Sums::note_looked() noexcept {
  for (std::size_t row = 0; row < common_.size(); ++row) raise(looked_[row], resident(common_[row]));
}

std::int64_t Sums::begin_most_resident(Component component) noexcept {
  Common& common = common_[static_cast<std::size_t>(component)];
  const Has has = of(component);
  const std::int64_t now = resident(common);
  std::atomic<std::int64_t>& looked = looked_[static_cast<std::size_t>(component)];
  looked.store(std::min(looked.load(std::memory_order_relaxed), now), std::memory_order_relaxed);
  return std::max(has.most_resident_bytes, common.most_resident.exchange(now, std::memory_order_relaxed));
}

Has Sums::of(Component component) const noexcept {
  const auto row = static_cast<std::size_t>(component);
  std::int64_t on_desks = 0;
  for (const Desk& desk : desks_in_use()) {
    on_desks += desk.bytes[row].load(std::memory_order_relaxed);
    if (component == Component::comity) on_desks += desk.tag_bytes.load(std::memory_order_relaxed);
  }
  return in_all(common_[row], on_desks);
}

// Desk by desk: of one the numbers lie side by side. What is read is added up in its place, for the stack may be small.
void Sums::read(std::size_t first, std::span<Has> into) const noexcept {
  constexpr auto kOfTags = static_cast<std::size_t>(Component::comity);
  const std::size_t count = std::min(into.size(), common_.size() - std::min(first, common_.size()));
  for (std::size_t i = 0; i < count; ++i) into[i].small_bytes = 0;
  for (const Desk& desk : desks_in_use()) {
    for (std::size_t i = 0; i < count; ++i)
      into[i].small_bytes += desk.bytes[first + i].load(std::memory_order_relaxed);
    if (kOfTags - first < count) into[kOfTags - first].small_bytes += desk.tag_bytes.load(std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < count; ++i) into[i] = in_all(common_[first + i], into[i].small_bytes);
}

Has Sums::in_all(const Common& common, std::int64_t on_desks) const noexcept {
  Has has;
  has.small_bytes = common.small.load(std::memory_order_relaxed) + on_desks;
  has.range_bytes = common.range.load(std::memory_order_relaxed);
  has.seen_bytes = common.seen.load(std::memory_order_relaxed);
  has.most_asked_bytes = common.most_asked.load(std::memory_order_relaxed);
  has.most_resident_bytes = common.most_resident.load(std::memory_order_relaxed);
  has.untouched_bytes = untouched(common);
  has.most_untouched_bytes = common.most_untouched.load(std::memory_order_relaxed);
  if (drops_peaks_.load(std::memory_order_relaxed)) return has;
  has.most_asked_bytes = std::max(has.most_asked_bytes, has.small_bytes + has.range_bytes);
  has.most_resident_bytes = std::max(has.most_resident_bytes, has.small_bytes - has.untouched_bytes + has.seen_bytes);
  return has;
}

}  // namespace comity::memory::hooks
