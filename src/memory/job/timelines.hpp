// SPDX-License-Identifier: BSD-3-Clause
// Timelines: how much memory the ranks of a job had over its run, each by itself and all together at one moment. Not: how
// that is drawn (cli/report). Times are on the clock of rank 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/clock_map.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

// In one stretch of time, the most that was seen: of a long run a record keeps stretches, and their most.
struct Stretch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double bytes = 0;
};

// By time.
using Timeline = std::vector<Stretch>;

struct RankTimelines {
  int rank = 0;
  Timeline total;                              // resident
  std::map<std::string, Timeline> components;  // those that its record tells of; each to the end of the total
  Timeline virtual_size;                       // of all mappings, the same; empty where its record does not tell

  // Of a component, or kTotalName; null where its record tells of none.
  [[nodiscard]] const Timeline* of(const std::string& component) const;
};

// None where it has no samples of memory.
[[nodiscard]] std::optional<RankTimelines> timelines_of(int rank, const record::Content& content,
                                                        const record::ClockMap& clock);

struct Timelines {
  std::vector<RankTimelines> ranks;  // that told

  [[nodiscard]] std::int64_t begin_ns() const;
  [[nodiscard]] std::int64_t end_ns() const;
};

// The moment that lies `step` of `steps` equal steps behind `begin_ns`, of those up to `end_ns`, which may be as far away as numbers go.
[[nodiscard]] std::int64_t moment_between(std::int64_t begin_ns, std::int64_t end_ns, std::size_t step,
                                          std::size_t steps);

// What ranks had together of a component, or kTotalName, in so many equal steps from `begin_ns` to `end_ns`: the most that they had at one moment of
// each, at its begin or where a rank's line changes; the last one is the end. A rank has what it was last
// seen with until its last sample, and nothing before its first one and after its last one.
[[nodiscard]] Timeline sum_of(const Timelines& timelines, const std::string& component, std::size_t steps);

// [bytes] At a moment: of the last stretch that began by then; nothing before the first one and after the last one.
[[nodiscard]] double bytes_at(const Timeline& timeline, std::int64_t time_ns);

// The same in so many steps at the most, each with its most.
[[nodiscard]] Timeline shortened(const Timeline& timeline, std::int64_t begin_ns, std::int64_t end_ns,
                                 std::size_t steps);

}  // namespace comity::memory
