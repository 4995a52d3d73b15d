// SPDX-License-Identifier: BSD-3-Clause
// Hash: a number of 64 bits that tells contents apart, equal on every rank. Not against somebody who looks for a clash.
// Source: Fowler, Noll, Vo, FNV-1a.
#pragma once

#include <cstdint>
#include <string_view>

namespace comity {

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
