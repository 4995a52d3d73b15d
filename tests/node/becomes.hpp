// SPDX-License-Identifier: BSD-3-Clause
// Looks again and again at what another rank is to do, with a limit that no crowded machine reaches.
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>

#include "base/clock.hpp"
#include "node/node.hpp"

namespace comity::testing {

// False where the condition has not come true by then.
template <typename Condition>
bool becomes_true(Condition&& condition) {
  constexpr Nanoseconds kLimit = std::chrono::seconds(40);
  for (const std::int64_t end_ns = now_ns() + kLimit.count(); now_ns() < end_ns;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return false;
}

inline bool hart_becomes(node::HartState state, node::Node& node, std::size_t hart) {
  return becomes_true([&] { return node.harts().word(hart).state() == state; });
}

}  // namespace comity::testing
