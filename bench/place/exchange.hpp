// SPDX-License-Identifier: BSD-3-Clause
// Exchange: what a message costs between two ranks, there and back, for several sizes. Buffers go round a large pool: one
// buffer alone stays in a cache, and large messages look two or three times as fast as they are to a program.
#pragma once

#include <array>
#include <cstddef>

#include "place/pairs.hpp"

namespace bench::place {

inline constexpr std::array<int, 5> kBytes{8, 1 << 10, 1 << 13, 1 << 16, 1 << 20};

struct Cost {
  std::array<double, kBytes.size()> ns{};  // [ns] half of the way there and back, the median of several loops
  double unrest = 1;  // the largest quotient of a median and its best loop: large where something else ran
};

// Collective over the pair: rank is one of its two; the first one's answer counts.
[[nodiscard]] Cost exchange(const Pair& pair, int rank);

}  // namespace bench::place
