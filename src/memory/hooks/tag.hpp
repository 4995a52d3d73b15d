// SPDX-License-Identifier: BSD-3-Clause
// Tag: the last eight bytes of a small block, which tell whose it is and how much of it was asked for. So neither a table
// nor a lock is needed to free one. A block that malloc handed out before anybody watched has none, and one whose tail
// the program has overwritten has none either: the check, which the block's address goes into, tells both but for one in
// 2^40.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "memory/component.hpp"

namespace comity::memory::hooks {

inline constexpr std::size_t kTag_bytes = sizeof(std::uint64_t);
// Usable bytes from which on a block is kept as a range of the address space instead.
inline constexpr std::size_t kLeastRange_bytes = std::size_t{64} << 10U;

struct Tag {
  Component component;
  std::uint16_t slack;  // [bytes] that can be used, the tag among them, and were not asked for
};

// word = component << 56 | slack << 40 | check
inline constexpr unsigned kCheckBits = 40;
inline constexpr unsigned kSlackBits = 16;

[[nodiscard]] inline std::uint64_t check_of(const void* block, std::uint64_t content) noexcept {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;  // odd: multiplying by it loses nothing
  constexpr std::uint64_t kMix = 0xd6e8feb86659fd93U;
  const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(block) ^ (content * kSpread)) * kMix;
  return mixed >> (64U - kCheckBits);
}

[[nodiscard]] inline std::byte* tag_place(void* block, std::size_t usable_bytes) noexcept {
  return static_cast<std::byte*>(block) + (usable_bytes - kTag_bytes);
}

inline void put_tag(void* block, std::size_t usable_bytes, Tag tag) noexcept {
  const std::uint64_t content = (static_cast<std::uint64_t>(tag.component) << kSlackBits) | tag.slack;
  const std::uint64_t word = (content << kCheckBits) | check_of(block, content);
  std::memcpy(tag_place(block, usable_bytes), &word, sizeof word);
}

[[nodiscard]] inline std::optional<Tag> tag_of(void* block, std::size_t usable_bytes) noexcept {
  if (usable_bytes < kTag_bytes) return std::nullopt;
  std::uint64_t word = 0;
  std::memcpy(&word, tag_place(block, usable_bytes), sizeof word);
  const std::uint64_t content = word >> kCheckBits;
  const std::uint64_t check = word & ((std::uint64_t{1} << kCheckBits) - 1);
  if (check != check_of(block, content)) return std::nullopt;
  const auto component = static_cast<Component>(content >> kSlackBits);
  if (static_cast<std::size_t>(component) >= kMostComponents) return std::nullopt;
  return Tag{component, static_cast<std::uint16_t>(content)};
}

// The next block at this address must not seem to have it.
inline void take_tag_away(void* block, std::size_t usable_bytes) noexcept {
  std::memset(tag_place(block, usable_bytes), 0, kTag_bytes);
}

}  // namespace comity::memory::hooks
