// SPDX-License-Identifier: BSD-3-Clause
// Random: numbers from a seed, the same on every machine. Source: Vigna, splitmix64; Lemire 2019 for a range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

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

// One of Random's numbers as several: each choice takes a part of it, as long as all of them together choose among much fewer than 2^64.
class Choices {
 public:
  explicit Choices(Random& random) : rest_(random.next()) {}

  [[nodiscard]] std::size_t below(std::size_t bound) {
    const unsigned __int128 product = static_cast<unsigned __int128>(rest_) * bound;
    rest_ = static_cast<std::uint64_t>(product);
    return static_cast<std::size_t>(product >> 64);
  }

 private:
  std::uint64_t rest_;
};

// The numbers below `count`, in an order that follows nothing.
template <typename Number>
[[nodiscard]] std::vector<Number> shuffled(std::size_t count, Random& random) {
  std::vector<Number> order(count);
  std::iota(order.begin(), order.end(), Number{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace comity::place
