// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/code/sites.hpp"

#include <algorithm>

namespace comity::memory::hooks {
namespace {

constexpr std::size_t kFarthest = 32;  // from its own place that a number stands

std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return hash == 0 ? 1 : hash;
}

}  // namespace

constinit Sites sites;

std::size_t Sites::own_place(const Meaning& meaning) noexcept {
  const std::uint64_t place =
      meaning.offset ^ (std::uint64_t{meaning.object} << 48U) ^ (static_cast<std::uint64_t>(meaning.component) << 40U);
  const std::uint64_t mixed = (place + meaning.caller * 0xd6e8feb86659fd93U) * 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>(mixed >> (64U - (kSiteBits + 1)));
}

// Two threads that bring the same object at once give it two numbers: whoever reads names adds both up.
std::uint16_t Sites::object_named(std::string_view path) noexcept {
  const std::uint32_t hash = hash_of(path);
  const std::size_t known = std::min<std::size_t>(object_count_.load(std::memory_order_acquire), kMostObjects);
  for (std::size_t i = 0; i < known; ++i) {
    if (objects_[i].hash.load(std::memory_order_acquire) == hash && path_of(objects_[i]) == path)
      return static_cast<std::uint16_t>(i);
  }
  if (known == kMostObjects || path.size() > kText_bytes) return kNoObject;
  const std::uint32_t at = text_used_.fetch_add(static_cast<std::uint32_t>(path.size()), std::memory_order_relaxed);
  if (at > kText_bytes - path.size()) {
    text_used_.store(kText_bytes, std::memory_order_relaxed);
    return kNoObject;
  }
  const std::uint32_t number = object_count_.fetch_add(1, std::memory_order_relaxed);
  if (number >= kMostObjects) {
    object_count_.store(kMostObjects, std::memory_order_relaxed);
    return kNoObject;
  }
  path.copy(&text_[at], path.size());
  objects_[number].text_at = at;
  objects_[number].text_bytes = static_cast<std::uint32_t>(path.size());
  objects_[number].hash.store(hash, std::memory_order_release);
  return static_cast<std::uint16_t>(number);
}

std::size_t Sites::count() const noexcept {
  return std::min<std::size_t>(kMostComponents + numbered_.load(std::memory_order_acquire), kMostSites);
}

SiteNumber Sites::number_of(const CodePlace& place, std::uintptr_t address) noexcept {
  const std::uint16_t object = object_named(place.object);
  if (object == kNoObject) return unnumbered(place.component);
  const SiteNumber site = find_or_number({object, kNoCaller, place.component, place.offset});
  addresses_[site].store(address, std::memory_order_relaxed);
  return site;
}

SiteNumber Sites::called_by(SiteNumber place, SiteNumber caller) noexcept {
  if (place < kMostComponents || caller < kMostComponents) return place;
  const SiteNumber site = find_or_number({objects_of_[place], caller, component_of(place), offsets_[place]});
  if (site < kMostComponents) return place;
  addresses_[site].store(address(place), std::memory_order_relaxed);
  return site;
}

// As with objects: what two threads bring at once may get two numbers.
SiteNumber Sites::find_or_number(const Meaning& meaning) noexcept {
  const std::size_t own = own_place(meaning);
  for (std::size_t i = 0; i < kFarthest; ++i) {
    std::atomic<SiteNumber>& taken = places_[(own + i) % kPlaces];
    SiteNumber there = taken.load(std::memory_order_acquire);
    if (there != 0) {
      if (means(there, meaning)) return there;
      continue;
    }
    const std::size_t number = kMostComponents + numbered_.fetch_add(1, std::memory_order_relaxed);
    if (number >= kMostSites) {
      numbered_.store(kMostSites - kMostComponents, std::memory_order_relaxed);
      return unnumbered(meaning.component);
    }
    owners_[number] = {meaning.component, static_cast<SiteNumber>(number)};
    objects_of_[number] = meaning.object;
    callers_[number] = meaning.caller;
    offsets_[number] = meaning.offset;
    (void)taken.compare_exchange_strong(there, static_cast<SiteNumber>(number), std::memory_order_release);
    return static_cast<SiteNumber>(number);
  }
  return unnumbered(meaning.component);
}

CodePlace Sites::read(SiteNumber site) const noexcept {
  if (site < kMostComponents) return {{}, 0, component_of(site)};
  return {path_of(objects_[objects_of_[site]]), offsets_[site], component_of(site)};
}

}  // namespace comity::memory::hooks
