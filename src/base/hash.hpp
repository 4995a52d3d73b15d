// SPDX-License-Identifier: BSD-3-Clause
// Hash: a number of 64 bits that tells contents apart, equal on every rank. Not against somebody who looks for a clash.
// Source: Fowler, Noll, Vo, FNV-1a; Vigna, splitmix64.
#pragma once

#include <cstdint>
#include <string_view>

namespace comity {

// One number as another one that has nothing in common with its neighbours'; no two as the same.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15U;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31U);
}

class Hash {
 public:
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
  }
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) add_byte((number >> (8 * byte)) & 0xFFU);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add_byte(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001B3; }

  std::uint64_t value_ = 0xCBF29CE484222325;
};

}  // namespace comity
