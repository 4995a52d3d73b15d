// SPDX-License-Identifier: BSD-3-Clause
// Tag: the last eight bytes of a small block, which tell whose it is, from where it was asked for, and how much. So neither
// a table nor a lock is needed to free one, and who reads memory word by word finds all blocks that are live. A block that
// malloc handed out before anybody watched has none, and one whose tail the program has overwritten has none either: the
// check, which the tag's address goes into, tells both but for one in 2^28. The eight bytes count as Comity's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "memory/hooks/code/sites.hpp"

namespace comity::memory::hooks {

inline constexpr std::size_t kTag_bytes = sizeof(std::uint64_t);
// Usable bytes from which on a block is kept as a range of the address space instead.
inline constexpr std::size_t kLeastRange_bytes = std::size_t{64} << 10U;

struct Tag {
  Owner owner;
  std::uint16_t bytes;  // that were asked for
};
// Of a block that is too large to say it: all of it that can be used, but for the tag.
inline constexpr std::uint16_t kAllOfIt = UINT16_MAX;
static_assert(kLeastRange_bytes <= kAllOfIt + std::size_t{1});

// word = component << 58 | site << 44 | bytes << 28 | check
inline constexpr unsigned kCheckBits = 28;
inline constexpr unsigned kBytesBits = 16;
static_assert(kMostComponents <= 64 && 6 + kSiteBits + kBytesBits + kCheckBits == 64);

[[nodiscard]] inline std::uint64_t check_of(std::uintptr_t place, std::uint64_t content) noexcept {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;  // odd: multiplying by it loses nothing
  constexpr std::uint64_t kMix = 0xd6e8feb86659fd93U;
  const std::uint64_t mixed = (place ^ (content * kSpread)) * kMix;
  return mixed >> (64U - kCheckBits);
}

// Where it stands.
[[nodiscard]] inline std::byte* tag_place(void* block, std::size_t usable_bytes) noexcept {
  return static_cast<std::byte*>(block) + (usable_bytes - kTag_bytes);
}

[[nodiscard]] inline std::uint64_t word_of(std::uintptr_t place, Tag tag) noexcept {
  const std::uint64_t content = std::uint64_t{tag.owner.word()} << kBytesBits | tag.bytes;
  return content << kCheckBits | check_of(place, content);
}

// Of a word at that address.
[[nodiscard]] inline bool is_tag_at(std::uintptr_t place, std::uint64_t word) noexcept {
  return (word & ((std::uint64_t{1} << kCheckBits) - 1)) == check_of(place, word >> kCheckBits);
}
[[nodiscard]] inline Tag content_of(std::uint64_t word) noexcept {
  const std::uint64_t content = word >> kCheckBits;
  return {Owner(static_cast<std::uint32_t>(content >> kBytesBits)), static_cast<std::uint16_t>(content)};
}
[[nodiscard]] inline std::optional<Tag> tag_in(std::uintptr_t place, std::uint64_t word) noexcept {
  return is_tag_at(place, word) ? std::optional(content_of(word)) : std::nullopt;
}

inline void put_tag(void* block, std::size_t usable_bytes, Tag tag) noexcept {
  std::byte* const place = tag_place(block, usable_bytes);
  const std::uint64_t word = word_of(reinterpret_cast<std::uintptr_t>(place), tag);
  std::memcpy(place, &word, sizeof word);
}

// What stands where a tag would.
[[nodiscard]] inline std::uint64_t tag_word_of(void* block, std::size_t usable_bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, tag_place(block, usable_bytes), sizeof word);
  return word;
}

[[nodiscard]] inline std::optional<Tag> tag_of(void* block, std::size_t usable_bytes) noexcept {
  if (usable_bytes < kTag_bytes) return std::nullopt;
  return tag_in(reinterpret_cast<std::uintptr_t>(tag_place(block, usable_bytes)), tag_word_of(block, usable_bytes));
}

// The next block at this address must not seem to have it.
inline void take_tag_away(void* block, std::size_t usable_bytes) noexcept {
  std::memset(tag_place(block, usable_bytes), 0, kTag_bytes);
}

}  // namespace comity::memory::hooks
