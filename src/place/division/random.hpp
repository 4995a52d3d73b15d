// SPDX-License-Identifier: BSD-3-Clause
// Random: numbers from a seed, the same on every machine. Source: Vigna, splitmix64; Lemire 2019 for a range.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comity::place {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  [[nodiscard]] std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  [[nodiscard]] double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // 0 .. 1, without 1

 private:
  std::uint64_t state_;
};

}  // namespace comity::place
