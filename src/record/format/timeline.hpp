// SPDX-License-Identifier: BSD-3-Clause
// What a record keeps over time: samples of a value, and spans of one name in one lane. An entry stands for one or for several
// neighbours merged; merging them keeps what a plot needs, so that a whole run stays covered at coarser and coarser steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "os/scratch_allocator.hpp"

namespace comity::record {

// Of a record that is full there are as many bytes of them as it has itself, in the process that is watched: only while it is merged.
template <typename Entry>
using Entries = std::vector<Entry, os::ScratchAllocator<Entry>>;

struct SampleEntry {
  std::int64_t first_ns = 0;  // time of the first sample
  std::int64_t last_ns = 0;   // of the last
  double minimum = 0;
  double maximum = 0;
  double last = 0;
  std::uint64_t count = 1;
  friend bool operator==(const SampleEntry&, const SampleEntry&) = default;
};

struct SpanEntry {
  std::int64_t first_ns = 0;  // the earliest begin
  std::int64_t last_ns = 0;   // the latest end
  std::int64_t shortest_ns = 0;
  std::int64_t longest_ns = 0;
  std::int64_t sum_ns = 0;  // of all durations
  std::uint64_t count = 1;
  friend bool operator==(const SpanEntry&, const SpanEntry&) = default;
};
static_assert(sizeof(SampleEntry) == 48 && std::is_trivially_copyable_v<SampleEntry>);
static_assert(sizeof(SpanEntry) == 48 && std::is_trivially_copyable_v<SpanEntry>);

struct Series {
  std::string name;
  Entries<SampleEntry> entries;  // by time
  friend bool operator==(const Series&, const Series&) = default;
};

struct Spans {
  std::string lane;  // such as a thread
  std::string name;
  Entries<SpanEntry> entries;  // in the order in which they were recorded, that of their ends
  friend bool operator==(const Spans&, const Spans&) = default;
};

[[nodiscard]] SampleEntry sample_entry(std::int64_t time_ns, double value);
[[nodiscard]] SpanEntry span_entry(std::int64_t begin_ns, std::int64_t end_ns);

// One entry for both; `later` follows `earlier`. Associative.
[[nodiscard]] SampleEntry merged(const SampleEntry& earlier, const SampleEntry& later);
[[nodiscard]] SpanEntry merged(const SpanEntry& earlier, const SpanEntry& later);

// `later - earlier`, 0 where that is negative, the largest number where it is none of 64 bits.
[[nodiscard]] std::int64_t distance_ns(std::int64_t earlier, std::int64_t later);

}  // namespace comity::record
