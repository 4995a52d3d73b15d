// SPDX-License-Identifier: BSD-3-Clause
// What stands in the chunks of a rank, a type after the other: written, and told to whoever listens. Not: where chunks stand (chunk), what all of
// them come to (content).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "record/format/bytes.hpp"
#include "record/format/chunk.hpp"
#include "record/format/table.hpp"
#include "record/format/timeline.hpp"

namespace comity::record {

using StreamId = std::uint32_t;  // of a series or of spans; unique in a record

enum class StreamKind : std::uint32_t { series = 0, spans = 1 };

// As a stream is declared, before anything of it.
struct StreamName {
  StreamId id = 0;
  StreamKind kind = StreamKind::series;
  std::string lane;  // of spans
  std::string name;
};

[[nodiscard]] Bytes fact_payload(std::string_view key, std::string_view value);
[[nodiscard]] Bytes table_payload(const Table& table);
[[nodiscard]] Bytes stream_payload(const StreamName& stream);
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

// Many of one stream stand in blocks.
inline constexpr std::size_t kEntriesABlock = 256;  // so that a damaged chunk costs few of them
// [bytes] What so many entries of a stream take.
[[nodiscard]] std::size_t blocks_bytes(std::size_t entries);
// [bytes] What the samples or spans of a stream take at the least, as one entry.
[[nodiscard]] constexpr std::size_t least_timeline_bytes() {
  return chunk_bytes(2 * sizeof(std::uint32_t) + sizeof(SampleEntry));
}

[[nodiscard]] constexpr ChunkType block_type(const SampleEntry& /*of*/) { return ChunkType::samples; }
[[nodiscard]] constexpr ChunkType block_type(const SpanEntry& /*of*/) { return ChunkType::spans; }

// `into`: a ChunkAppender, or what appends like one.
template <typename Entry, typename Into>
[[nodiscard]] bool append_block(StreamId id, std::span<const Entry> block, Into& into) {
  ByteWriter writer;
  writer.number(id);
  writer.number(static_cast<std::uint32_t>(block.size()));
  writer.raw(std::as_bytes(block));
  return into.append(block_type(Entry{}), writer.bytes());
}

// Throws where an entry makes no sense.
void check(const SampleEntry& entry);
void check(const SpanEntry& entry);

// Whether a chunk tells of what happened over time.
[[nodiscard]] constexpr bool is_of_timeline(ChunkType type) {
  using enum ChunkType;
  return type == stream || type == sample || type == span || type == samples || type == spans;
}

namespace payload {

[[nodiscard]] StreamName read_stream(ByteReader& from);

template <typename Payload>
[[nodiscard]] Payload read_fixed(std::span<const std::byte> bytes) {
  Payload payload{};
  if (bytes.size() != sizeof(payload)) throw senseless("a sample or span has another size");
  std::memcpy(&payload, bytes.data(), sizeof(payload));
  return payload;
}

template <typename Entry, typename Listener>
void tell_block(ByteReader& from, Listener& to) {
  const auto id = from.number<StreamId>();
  const std::size_t count = from.count(from.number<std::uint32_t>(), sizeof(Entry));
  const auto bytes = from.raw(count * sizeof(Entry));
  from.expect_end();
  Entries<Entry> block(count);
  if (count > 0) std::memcpy(block.data(), bytes.data(), bytes.size());
  for (const Entry& entry : block) check(entry);
  to.take_entries(id, std::span<const Entry>(block));
}

}  // namespace payload

// What a chunk says, in one of the listener's functions: take_fact(key, value), take_table(table), take_stream(stream), take_entries(id, entries),
// take_end(ended_ns). Throws, before it says anything, where the payload makes no sense. Of a type that a later library of this version may add
// it says nothing.
template <typename Listener>
void tell(const Chunk& chunk, Listener& to) {
  ByteReader from(chunk.payload);
  switch (chunk.type) {
    case ChunkType::fact: {
      std::string key = from.text();
      std::string value = from.text();
      from.expect_end();
      return to.take_fact(std::move(key), std::move(value));
    }
    case ChunkType::table: {
      Table table = Table::decode(from);
      from.expect_end();
      return to.take_table(std::move(table));
    }
    case ChunkType::stream:
      return to.take_stream(payload::read_stream(from));
    case ChunkType::sample: {
      const auto one = payload::read_fixed<SamplePayload>(chunk.payload);
      const SampleEntry entry = sample_entry(one.time_ns, one.value);
      return to.take_entries(one.id, std::span<const SampleEntry>(&entry, 1));
    }
    case ChunkType::span: {
      const auto one = payload::read_fixed<SpanPayload>(chunk.payload);
      const SpanEntry entry = span_entry(one.begin_ns, one.end_ns);
      return to.take_entries(one.id, std::span<const SpanEntry>(&entry, 1));
    }
    case ChunkType::samples:
      return payload::tell_block<SampleEntry>(from, to);
    case ChunkType::spans:
      return payload::tell_block<SpanEntry>(from, to);
    case ChunkType::end:
      return to.take_end(from.number<std::int64_t>());
    case ChunkType::body:
      return;
  }
}

}  // namespace comity::record
