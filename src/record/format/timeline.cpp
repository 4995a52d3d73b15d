// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace comity::record {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Of numbers that are not negative, as durations are; a sum that does not fit stays the largest number.
std::int64_t sum_of_durations(std::int64_t a, std::int64_t b) { return a > kMost - b ? kMost : a + b; }

// The same of counts, each of which is one that readers take.
std::uint64_t sum_of_counts(std::uint64_t a, std::uint64_t b) {
  return std::min(static_cast<std::uint64_t>(kMost), a + b);
}

}  // namespace

std::int64_t distance_ns(std::int64_t earlier, std::int64_t later) {
  if (later <= earlier) return 0;
  const std::uint64_t distance = static_cast<std::uint64_t>(later) - static_cast<std::uint64_t>(earlier);
  return distance > static_cast<std::uint64_t>(kMost) ? kMost : static_cast<std::int64_t>(distance);
}

SampleEntry sample_entry(std::int64_t time_ns, double value) {
  return {.first_ns = time_ns, .last_ns = time_ns, .minimum = value, .maximum = value, .last = value, .count = 1};
}

SpanEntry span_entry(std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t duration_ns = distance_ns(begin_ns, end_ns);
  return {.first_ns = begin_ns,
          .last_ns = std::max(begin_ns, end_ns),
          .shortest_ns = duration_ns,
          .longest_ns = duration_ns,
          .sum_ns = duration_ns,
          .count = 1};
}

// fmin and fmax leave out what is no number.
SampleEntry merged(const SampleEntry& earlier, const SampleEntry& later) {
  return {.first_ns = std::min(earlier.first_ns, later.first_ns),
          .last_ns = std::max(earlier.last_ns, later.last_ns),
          .minimum = std::fmin(earlier.minimum, later.minimum),
          .maximum = std::fmax(earlier.maximum, later.maximum),
          .last = later.last,
          .count = sum_of_counts(earlier.count, later.count)};
}

SpanEntry merged(const SpanEntry& earlier, const SpanEntry& later) {
  return {.first_ns = std::min(earlier.first_ns, later.first_ns),
          .last_ns = std::max(earlier.last_ns, later.last_ns),
          .shortest_ns = std::min(earlier.shortest_ns, later.shortest_ns),
          .longest_ns = std::max(earlier.longest_ns, later.longest_ns),
          .sum_ns = sum_of_durations(earlier.sum_ns, later.sum_ns),
          .count = sum_of_counts(earlier.count, later.count)};
}

}  // namespace comity::record
