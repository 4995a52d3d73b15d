// SPDX-License-Identifier: BSD-3-Clause
// The clock that all ranks of a node share: CLOCK_MONOTONIC in nanoseconds, and deadlines on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace comity {

using Nanoseconds = std::chrono::nanoseconds;

[[nodiscard]] inline std::int64_t now_ns() {
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[nodiscard]] inline double seconds_of(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// The last multiple of a step of that clock. All ranks of a node pass it at once: what they do seldom, and wait for one another meanwhile, they
// do together then.
[[nodiscard]] constexpr std::int64_t last_step(std::int64_t now_ns, std::int64_t step_ns) {
  return now_ns - now_ns % step_ns;
}

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();  // a deadline that does not come

// The one place where a timeout becomes a deadline: kNever where the clock ends before it, in whatever unit it was given,
// and `now` where it has passed.
template <typename Timeout>
[[nodiscard]] constexpr std::int64_t deadline_after(Timeout timeout, std::int64_t now) {
  static_assert(sizeof(timeout.count()) == sizeof(now));
  if (timeout <= Timeout::zero()) return now;
  // In the timeout's own unit: a comparison with nanoseconds would make nanoseconds of both.
  if (timeout > std::chrono::duration_cast<Timeout>(Nanoseconds(kNever - now))) return kNever;
  return now + Nanoseconds(timeout).count();
}

template <typename Timeout>
[[nodiscard]] std::int64_t deadline_after(Timeout timeout) {
  return deadline_after(timeout, now_ns());
}

}  // namespace comity
