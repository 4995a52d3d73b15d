// SPDX-License-Identifier: BSD-3-Clause
// Victims: whom a hart steals from, those of its own NUMA node before all others, and how much at once: the faster of two gets
// the larger share, so that both end at about the same time. Not: which of them first (stealing, by chance).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace comity::sched {

struct Victim {
  std::size_t hart;
  std::uint32_t share;  // [1/256] of what it lets others have

  [[nodiscard]] bool operator==(const Victim&) const = default;
};

struct Victims {
  std::vector<Victim> near;  // harts of the same node
  std::vector<Victim> far;
};

inline constexpr std::uint32_t kWhole = 256;

// What a hart of that speed takes from one of the other; both are relative to the same.
[[nodiscard]] inline std::uint32_t share_of(int thief, int victim) {
  if (thief <= 0 || victim <= 0) return kWhole / 2;
  return static_cast<std::uint32_t>(std::int64_t{kWhole} * thief / (std::int64_t{thief} + victim));
}

// `nodes`, `speeds`: of each hart.
[[nodiscard]] inline Victims victims_of(std::size_t hart, std::span<const int> nodes, std::span<const int> speeds) {
  Victims victims;
  for (std::size_t other = 0; other < nodes.size(); ++other) {
    if (other == hart) continue;
    (nodes[other] == nodes[hart] ? victims.near : victims.far)
        .push_back({other, share_of(speeds[hart], speeds[other])});
  }
  return victims;
}

}  // namespace comity::sched
