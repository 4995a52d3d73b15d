// SPDX-License-Identifier: BSD-3-Clause
// The clock that all ranks of a node share: CLOCK_MONOTONIC in nanoseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace comity {

using Nanoseconds = std::chrono::nanoseconds;

[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace comity
