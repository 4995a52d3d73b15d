// SPDX-License-Identifier: BSD-3-Clause
// Sums over rows and ranks of a record. What stands in a file may be anything, so they stop at the end of their numbers.
#pragma once

#include <cstdint>
#include <limits>

namespace comity::memory {

inline void add_to(std::int64_t& sum, std::int64_t more) {
  if (!__builtin_add_overflow(sum, more, &sum)) return;
  sum = more > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

inline void add_to(std::uint64_t& sum, std::uint64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

}  // namespace comity::memory
