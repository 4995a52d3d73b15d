// SPDX-License-Identifier: BSD-3-Clause
// Content that is in memory as a whole, with neighbours in time merged until it has room: what condense() does chunk by chunk is compared with it, and
// `multiply` makes small bodies by it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "record/format/content.hpp"

namespace comity::record {

// Merges each two neighbours into one that would cover no more than `step_ns`. Returns whether any were.
template <typename Entry>
bool merge_pairs(Entries<Entry>& entries, std::int64_t step_ns) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i, ++kept) {
    entries[kept] = entries[i];
    if (i + 1 == entries.size()) continue;
    const Entry both = merged(entries[i], entries[i + 1]);
    if (distance_ns(both.first_ns, both.last_ns) > step_ns) continue;
    entries[kept] = both;
    ++i;
  }
  const bool any = kept < entries.size();
  entries.resize(kept);
  return any;
}

// The time that all entries cover.
inline std::int64_t covered_ns(const Content& content) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  const auto look = [&](const auto& streams) {
    for (const auto& [id, stream] : streams) {
      for (const auto& entry : stream.entries) {
        first = std::min(first, entry.first_ns);
        last = std::max(last, entry.last_ns);
      }
    }
  };
  look(content.series);
  look(content.spans);
  return distance_ns(first, last);
}

inline bool merge_all_pairs(Content& content, std::int64_t step_ns) {
  bool any = false;
  for (auto& [id, series] : content.series) any |= merge_pairs(series.entries, step_ns);
  for (auto& [id, spans] : content.spans) any |= merge_pairs(spans.entries, step_ns);
  return any;
}

// Merges neighbours, with steps that double, until samples and spans take `most_bytes` or each stream is one entry.
inline void shrink_timeline(Content& content, std::size_t most_bytes) {
  constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();
  const auto room = static_cast<std::int64_t>(std::min<std::size_t>(most_bytes / sizeof(SampleEntry), 1U << 30U));
  std::int64_t step_ns = std::max<std::int64_t>(1, covered_ns(content) / (room + 1));
  while (timeline_bytes(content) > most_bytes) {
    const bool any = merge_all_pairs(content, step_ns);
    if (!any && step_ns == kLongest) return;
    step_ns = step_ns > kLongest / 2 ? kLongest : 2 * step_ns;
  }
}

}  // namespace comity::record
