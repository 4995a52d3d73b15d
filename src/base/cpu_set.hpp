// SPDX-License-Identifier: BSD-3-Clause
// CpuSet: a set of hardware threads (PUs) by the number the operating system gives them. Not: what they mean (machine).
// Invariant: every member is below kCapacity; unused bits are zero, so sets compare word by word.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace comity {

// Visits the PUs that are set in word number `index` of a set, ascending.
template <typename Visit>
void for_each_bit(std::uint64_t word, std::size_t index, Visit&& visit) {
  for (; word != 0; word &= word - 1) visit(index * 64 + static_cast<std::size_t>(std::countr_zero(word)));
}

class CpuSet {
 public:
  static constexpr std::size_t kCapacity = 2048;  // [PUs] the largest OS number plus one
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kWords = kCapacity / kWordBits;

  constexpr CpuSet() = default;
  CpuSet(std::initializer_list<std::size_t> cpus) {
    for (const std::size_t cpu : cpus) insert(cpu);
  }
  [[nodiscard]] static CpuSet first(std::size_t count);  // {0, 1, .., count-1}
  // "0-3,8" (list) or "0xff" / "ff,00000000" (hex, comma every 32 bits); throws Status::argument saying where it broke.
  [[nodiscard]] static CpuSet parse_list(std::string_view text);
  [[nodiscard]] static CpuSet parse_hex(std::string_view text);

  [[nodiscard]] constexpr bool contains(std::size_t cpu) const {
    return cpu < kCapacity && ((words_[cpu / kWordBits] >> (cpu % kWordBits)) & 1U) != 0;
  }
  void insert(std::size_t cpu);  // throws Status::range at kCapacity and above
  constexpr void erase(std::size_t cpu) {
    if (cpu < kCapacity) words_[cpu / kWordBits] &= ~(std::uint64_t{1} << (cpu % kWordBits));
  }
  constexpr void clear() { words_.fill(0); }

  [[nodiscard]] constexpr bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  [[nodiscard]] constexpr std::size_t count() const {
    std::size_t total = 0;
    for (const std::uint64_t word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  [[nodiscard]] std::optional<std::size_t> lowest() const { return next(0); }
  [[nodiscard]] std::optional<std::size_t> highest() const;
  [[nodiscard]] std::optional<std::size_t> next(std::size_t from) const;  // lowest member >= from

  [[nodiscard]] constexpr bool intersects(const CpuSet& other) const {
    for (std::size_t i = 0; i < kWords; ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  [[nodiscard]] constexpr bool encloses(const CpuSet& other) const {  // other is a subset of this
    for (std::size_t i = 0; i < kWords; ++i) {
      if ((other.words_[i] & ~words_[i]) != 0) return false;
    }
    return true;
  }

  constexpr CpuSet& operator|=(const CpuSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr CpuSet& operator&=(const CpuSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  constexpr CpuSet& operator-=(const CpuSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend constexpr CpuSet operator|(CpuSet a, const CpuSet& b) { return a |= b; }
  friend constexpr CpuSet operator&(CpuSet a, const CpuSet& b) { return a &= b; }
  friend constexpr CpuSet operator-(CpuSet a, const CpuSet& b) { return a -= b; }
  friend constexpr bool operator==(const CpuSet&, const CpuSet&) = default;

  [[nodiscard]] std::string to_list() const;  // "0-3,8"; "" when empty
  [[nodiscard]] std::string to_hex() const;   // "0x10f"; "0x0" when empty

  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < kWords; ++i) for_each_bit(words_[i], i, visit);
  }

  [[nodiscard]] constexpr const std::array<std::uint64_t, kWords>& words() const { return words_; }
  [[nodiscard]] constexpr std::array<std::uint64_t, kWords>& words() { return words_; }

 private:
  std::array<std::uint64_t, kWords> words_{};  // bit b of word w is PU 64 w + b
};

}  // namespace comity
