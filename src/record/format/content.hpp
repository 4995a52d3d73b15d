// SPDX-License-Identifier: BSD-3-Clause
// Content: what the chunks of one rank say, and the way back. Not: where chunks stand (chunk), who may write when (writer).
// Invariant: encode() of what decode() read gives chunks that decode to the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/format/bytes.hpp"
#include "record/format/chunk.hpp"
#include "record/format/table.hpp"
#include "record/format/timeline.hpp"

namespace comity::record {

using StreamId = std::uint32_t;  // of a series or of spans; unique in a record

struct Content {
  std::map<std::string, std::string> facts;
  std::map<std::string, Table> tables;  // by name; the last snapshot
  std::map<StreamId, Series> series;
  std::map<StreamId, Spans> spans;
  std::optional<std::int64_t> ended_ns;  // when its writer closed it; empty: it did not

  friend bool operator==(const Content&, const Content&) = default;
};

// What chunk payloads are made of; one function a type.
[[nodiscard]] Bytes fact_payload(std::string_view key, std::string_view value);
[[nodiscard]] Bytes table_payload(const Table& table);
[[nodiscard]] Bytes series_payload(StreamId id, std::string_view name);
[[nodiscard]] Bytes spans_payload(StreamId id, std::string_view lane, std::string_view name);
[[nodiscard]] Bytes end_payload(std::int64_t ended_ns);

// One sample or span; fixed, because they are written often.
struct SamplePayload {
  StreamId id;
  std::uint32_t reserved;
  std::int64_t time_ns;
  double value;
};
struct SpanPayload {
  StreamId id;
  std::uint32_t reserved;
  std::int64_t begin_ns;
  std::int64_t end_ns;
};
static_assert(sizeof(SamplePayload) == 24 && sizeof(SpanPayload) == 24);

enum class Parts : std::uint8_t {
  all,
  fixed
};  // fixed: facts, tables and the end; what happened over time is passed over

// Reads as many chunks as hold. Samples of a series are sorted by time.
[[nodiscard]] Scan decode(std::span<const std::byte> chunks, Content& content, Parts parts = Parts::all);

// Appends all of it. False where there is no room: then a part was appended.
[[nodiscard]] bool encode(const Content& content, ChunkAppender& into);
[[nodiscard]] Bytes encode(const Content& content);

// [bytes] of all chunks, and of those that hold samples and spans.
[[nodiscard]] std::size_t encoded_bytes(const Content& content);
[[nodiscard]] std::size_t timeline_bytes(const Content& content);
// [bytes] What the samples or spans of a stream take at the least, as one entry.
[[nodiscard]] constexpr std::size_t least_timeline_bytes() {
  return chunk_bytes(2 * sizeof(std::uint32_t) + sizeof(SampleEntry));
}

// Merges neighbours, with steps that double, until samples and spans take `most_bytes` or each stream is one entry.
void shrink_timeline(Content& content, std::size_t most_bytes);

}  // namespace comity::record
