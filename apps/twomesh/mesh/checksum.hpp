// SPDX-License-Identifier: BSD-3-Clause
// A 64-bit checksum over the raw bytes of numbers, taken a word at a time: equal checksums mean bitwise equal fields
// (-0.0 and 0.0 differ, so do two NaNs). Not: a hash against malice.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

namespace twomesh {

class Checksum {
 public:
  void add(std::uint64_t word) { state_ = std::rotl((state_ ^ word) * 0x9E3779B97F4A7C15ULL, 29); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::span<const double> values) {
    for (const double value : values) add(value);
  }
  [[nodiscard]] std::uint64_t value() const { return state_ ^ state_ >> 32; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ULL;
};

// Sixteen hexadecimal digits.
[[nodiscard]] std::string to_hex(std::uint64_t value);

}  // namespace twomesh
