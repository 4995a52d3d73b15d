// SPDX-License-Identifier: BSD-3-Clause
// Caller: whose code asked for memory. The innermost frame outside the C and C++ runtimes and stand-ins for malloc: strdup and
// std::string allocate for whoever calls them. What an address belongs to is remembered; so is how far below its return address a
// function of the runtimes has the next one, where that is the same at each call. Not: which rules make a component (component).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "memory/hooks/code/sites.hpp"

namespace comity::memory::hooks {

// Where a call comes from.
struct CallSite {
  std::uintptr_t code;   // the return address
  std::uintptr_t stack;  // the stack pointer behind it, when the call has returned
};

// Of the function that this is written in, which has to be what the program calls.
[[gnu::always_inline]] inline CallSite call_site() noexcept {
  return {reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
          reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())};
}

// What is known of return addresses: a word each, so that nobody sees half of one.
class CodeTable {
 public:
  enum class Kind : std::uint8_t {
    unknown,
    owner,     // value: the site
    fixed,     // of a runtime; value: how far its caller's stack pointer lies above its own, in words
    variable,  // of a runtime, and only the unwinder knows
  };
  struct Known {
    Kind kind;
    std::uint16_t value;
  };
  static constexpr std::uint16_t kMostValue = (1U << kSiteBits) - 1;

  [[nodiscard]] Known find(std::uintptr_t code) const noexcept {
    const std::size_t own = own_place(code);
    for (std::size_t i = 0; i < kFarthest; ++i) {
      const std::uint64_t word = words_[(own + i) % kPlaces].load(std::memory_order_acquire);
      if (word >> kKnownBits == code)
        return {static_cast<Kind>(word >> 14U & 3U), static_cast<std::uint16_t>(word & kMostValue)};
      if (word == 0) break;
    }
    return {Kind::unknown, 0};
  }
  // An owner's number where it stands in the code's own place, as most do: one comparison. Negative: it has to be found.
  [[nodiscard]] std::int32_t find_owner_in_own_place(std::uintptr_t code) const noexcept {
    constexpr unsigned kKindAt = 14;
    const std::uint64_t word = words_[own_place(code)].load(std::memory_order_acquire);
    const std::uint64_t wanted =
        static_cast<std::uint64_t>(code) << (kKnownBits - kKindAt) | static_cast<std::uint64_t>(Kind::owner);
    return word >> kKindAt == wanted ? static_cast<std::int32_t>(word & kMostValue) : -1;
  }
  // Where there is no room it is forgotten.
  void insert(std::uintptr_t code, Known known) noexcept;
  // Objects were unloaded: other code may stand at the same addresses.
  void clear() noexcept;

 private:
  // word = code << 16 | kind << 14 | value
  static constexpr unsigned kKnownBits = 16;
  static constexpr unsigned kPlaceBits = 14;
  static constexpr std::size_t kPlaces = std::size_t{1} << kPlaceBits;
  static constexpr std::size_t kFarthest = 16;

  [[nodiscard]] static std::size_t own_place(std::uintptr_t code) noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(code) * 0x9e3779b97f4a7c15U) >> (64U - kPlaceBits));
  }

  std::array<std::atomic<std::uint64_t>, kPlaces> words_{};
};

extern constinit CodeTable known_code;

// Users' rules count from here on. Once, in the library's constructor.
void take_rules(const Components& rules) noexcept;
[[nodiscard]] const Components& rules() noexcept;

// Of a mapped object, by any address in it; the application's where there is none.
[[nodiscard]] Component component_at(std::uintptr_t code) noexcept;
// The same, and where in which object it lies.
[[nodiscard]] CodePlace place_at(std::uintptr_t code) noexcept;
// Of a return address, whoever has called from there; none: the runtimes, which ask for others.
[[nodiscard]] std::optional<Owner> owner_at(std::uintptr_t code) noexcept;
// Past what is remembered.
[[nodiscard]] Owner search_owner(CallSite site) noexcept;

// Whether owners are told with those who called them (path). From the library's constructor on.
extern constinit std::atomic<bool> paths_are_told;
[[nodiscard]] Owner owner_with_callers(CallSite site) noexcept;

// Where paths are not told.
[[nodiscard]] inline Owner known_owner_of(CallSite site) noexcept {
  const std::int32_t number = known_code.find_owner_in_own_place(site.code);
  if (number < 0) [[unlikely]]
    return search_owner(site);
  return Sites::owner_at(static_cast<SiteNumber>(number));
}

[[nodiscard]] inline Owner owner_of(CallSite site) noexcept {
  if (paths_are_told.load(std::memory_order_relaxed)) return owner_with_callers(site);
  const CodeTable::Known known = known_code.find(site.code);
  if (known.kind == CodeTable::Kind::owner) return Sites::owner_at(known.value);
  return search_owner(site);
}

// Objects have been unloaded.
void forget_code() noexcept;

}  // namespace comity::memory::hooks
