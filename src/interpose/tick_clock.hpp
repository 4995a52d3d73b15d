// SPDX-License-Identifier: BSD-3-Clause
// TickClock: the time of base/clock for what is timed millions of times a second: the processor's own counter where it runs
// evenly, set by the clock anew every few milliseconds; else the clock itself. Each thread has its own; between threads
// times differ by what the counters do.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

namespace comity::interpose {

class TickClock {
 public:
  // Never goes back on one thread.
  [[nodiscard]] static std::int64_t now_ns() {
    const std::uint64_t ticks = read_ticks();
    const Anchor& anchor = anchor_;
    if (ticks - anchor.ticks >= anchor.valid_ticks) return anchor_anew();
    return anchor.ns + static_cast<std::int64_t>(((ticks - anchor.ticks) * anchor.scaled_ns_per_tick) >> kScaleBits);
  }

 private:
  static constexpr unsigned kScaleBits = 32;

  // Where this thread's time was read from the clock last.
  struct Anchor {
    std::uint64_t ticks = 0;
    std::uint64_t valid_ticks = 0;  // 0: none
    std::uint64_t scaled_ns_per_tick = 0;
    std::int64_t ns = 0;
  };

  static std::uint64_t read_ticks() {
#if defined(__x86_64__) || defined(__i386__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
  }
  // The counter and the clock at one moment.
  struct Reading {
    std::uint64_t ticks;
    std::int64_t ns;
  };
  static Reading read_both();
  static std::int64_t anchor_anew();

  static constinit thread_local Anchor anchor_ __attribute__((tls_model("initial-exec")));
};

}  // namespace comity::interpose
