// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/tick_clock.hpp"

#include <algorithm>

#include "base/clock.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace comity::interpose {
namespace {

constexpr std::int64_t kLearn_ns = 5'000'000;  // so that the pace is known to one part in 10,000
constexpr double kTrust_ns = 10e6;             // off by 1 us at most by then

// Whether the counter runs at one pace, whatever the core does.
bool runs_evenly() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kPowerManagement = 0x80000007;
  constexpr unsigned kInvariantCounter = 1U << 8U;
  return __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 && (d & kInvariantCounter) != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

}  // namespace

constinit thread_local TickClock::Anchor TickClock::anchor_ __attribute__((tls_model("initial-exec")));

// The closest of some: the kernel may take the core away between the one and the other.
TickClock::Reading TickClock::read_both() {
  constexpr int kReadings = 3;
  Reading closest{};
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const std::uint64_t before = read_ticks();
    const std::int64_t ns = comity::now_ns();
    const std::uint64_t apart = read_ticks() - before;
    if (apart < least) closest = {before, ns};
    least = std::min(least, apart);
  }
  return closest;
}

std::int64_t TickClock::anchor_anew() {
  static const bool even = runs_evenly();
  if (!even) return comity::now_ns();
  static const Reading start = read_both();
  const auto [ticks, now] = read_both();
  if (ticks <= start.ticks || now - start.ns < kLearn_ns) return now;
  Anchor& anchor = anchor_;
  std::int64_t told = now;
  if (ticks - anchor.ticks < 2 * anchor.valid_ticks) {  // what was told until now stays true
    const std::uint64_t since = (ticks - anchor.ticks) * anchor.scaled_ns_per_tick;
    told = std::max(told, anchor.ns + static_cast<std::int64_t>(since >> kScaleBits));
  }
  // Who is ahead of the clock goes slower until they meet.
  const double slower = std::min(0.5, static_cast<double>(told - now) / kTrust_ns);
  const double ns_per_tick = static_cast<double>(now - start.ns) / static_cast<double>(ticks - start.ticks);
  constexpr auto kScale = static_cast<double>(std::uint64_t{1} << kScaleBits);
  anchor = {ticks, static_cast<std::uint64_t>(kTrust_ns / ns_per_tick),
            static_cast<std::uint64_t>(ns_per_tick * (1.0 - slower) * kScale), told};
  return told;
}

}  // namespace comity::interpose
