// SPDX-License-Identifier: BSD-3-Clause
// Sites: the places of code that asked for memory, each a number: so a block tells with fourteen bits who has it, and a reader
// where in which object that is. A place that an object has again, when it was unloaded and loaded, is the same one. Where call
// paths are told a place has a number for each path that led to it: those that begin alike on the outside share it. Fixed
// tables, no allocation, no lock. Not: how a place is found (caller, path), how much is held (who reads blocks).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "memory/component.hpp"

namespace comity::memory::hooks {

// The first ones stand for all of a component's that have no number of their own.
using SiteNumber = std::uint16_t;
inline constexpr unsigned kSiteBits = 14;
inline constexpr std::size_t kMostSites = std::size_t{1} << kSiteBits;
inline constexpr SiteNumber kNoCaller = 0;  // one of the first ones, which have none

[[nodiscard]] constexpr SiteNumber unnumbered(Component component) { return static_cast<SiteNumber>(component); }

// Who asked for memory: a word, as it stands in tags.
class Owner {
 public:
  constexpr Owner() : Owner(Component::unknown, unnumbered(Component::unknown)) {}
  constexpr Owner(Component component, SiteNumber site)
      : word_(static_cast<std::uint32_t>(component) << kSiteBits | site) {}
  constexpr explicit Owner(std::uint32_t word) : word_(word) {}

  [[nodiscard]] constexpr Component component() const { return static_cast<Component>(word_ >> kSiteBits); }
  [[nodiscard]] constexpr SiteNumber site() const { return static_cast<SiteNumber>(word_ % kMostSites); }
  [[nodiscard]] constexpr std::uint32_t word() const { return word_; }

 private:
  std::uint32_t word_;
};
[[nodiscard]] constexpr Owner unnumbered_owner(Component component) { return {component, unnumbered(component)}; }

// A place of code.
struct CodePlace {
  std::string_view object;   // its path; "" is the main program
  std::uint64_t offset = 0;  // from where it is loaded
  Component component = Component::application;
};

class Sites {
 public:
  constexpr Sites() = default;

  // The number of that place, which is at this address now; where all are taken, the one of its component.
  [[nodiscard]] SiteNumber number_of(const CodePlace& place, std::uintptr_t address) noexcept;
  // That of a numbered place where it was called from another; where all are taken, its own.
  [[nodiscard]] SiteNumber called_by(SiteNumber place, SiteNumber caller) noexcept;
  [[nodiscard]] SiteNumber caller_of(SiteNumber site) const noexcept { return callers_[site]; }
  [[nodiscard]] static Owner owner_at(SiteNumber site) noexcept { return owners_[site]; }
  [[nodiscard]] static Component component_of(SiteNumber site) noexcept { return owners_[site].component(); }
  // From here on there are none.
  [[nodiscard]] std::size_t count() const noexcept;
  // Of the first ones an object without a name and no offset.
  [[nodiscard]] CodePlace read(SiteNumber site) const noexcept;
  // Where it was when it was last found.
  [[nodiscard]] std::uintptr_t address(SiteNumber site) const noexcept {
    return addresses_[site].load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kMostObjects = 1024;
  static constexpr std::size_t kText_bytes = std::size_t{96} << 10U;
  static constexpr std::size_t kPlaces = 2 * kMostSites;
  static constexpr std::uint16_t kNoObject = kMostObjects;

  struct Object {
    std::atomic<std::uint32_t> hash{0};  // 0: not written yet
    std::uint32_t text_at = 0;
    std::uint32_t text_bytes = 0;
  };

  // What a number stands for.
  struct Meaning {
    std::uint16_t object;
    SiteNumber caller;
    Component component;
    std::uint64_t offset;
  };

  [[nodiscard]] SiteNumber find_or_number(const Meaning& meaning) noexcept;
  [[nodiscard]] static std::size_t own_place(const Meaning& meaning) noexcept;
  [[nodiscard]] std::uint16_t object_named(std::string_view path) noexcept;
  [[nodiscard]] std::string_view path_of(const Object& object) const noexcept {
    return {&text_[object.text_at], object.text_bytes};
  }
  [[nodiscard]] bool means(SiteNumber site, const Meaning& meaning) const noexcept {
    return objects_of_[site] == meaning.object && offsets_[site] == meaning.offset &&
           callers_[site] == meaning.caller && component_of(site) == meaning.component;
  }

  // The first ones are their own. Apart from what is all zero as it begins.
  static inline constinit std::array<Owner, kMostSites> owners_ = [] {
    std::array<Owner, kMostSites> all{};
    for (std::size_t i = 0; i < kMostComponents; ++i) all[i] = unnumbered_owner(static_cast<Component>(i));
    return all;
  }();
  std::array<std::uint16_t, kMostSites> objects_of_{};
  std::array<SiteNumber, kMostSites> callers_{};
  std::array<std::uint64_t, kMostSites> offsets_{};
  std::array<std::atomic<std::uintptr_t>, kMostSites> addresses_{};
  std::array<std::atomic<SiteNumber>, kPlaces> places_{};  // numbers by a hash of what they stand for; 0: none
  std::array<Object, kMostObjects> objects_{};
  std::array<char, kText_bytes> text_{};
  std::atomic<std::uint32_t> numbered_{0};  // places
  std::atomic<std::uint32_t> object_count_{0};
  std::atomic<std::uint32_t> text_used_{0};
};

extern constinit Sites sites;

}  // namespace comity::memory::hooks
