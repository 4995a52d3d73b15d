// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/payload.hpp"

#include <limits>

namespace comity::record {
namespace {

constexpr std::size_t kBlockHead_bytes = 2 * sizeof(std::uint32_t);

// Readers count in signed numbers.
void check_count(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (count == 0 || count > kMost) throw senseless("nobody can count as many as an entry stands for");
}

}  // namespace

Bytes fact_payload(std::string_view key, std::string_view value) {
  ByteWriter writer;
  writer.text(key);
  writer.text(value);
  return writer.take();
}

Bytes table_payload(const Table& table) {
  ByteWriter writer;
  table.encode(writer);
  return writer.take();
}

Bytes stream_payload(const StreamName& stream) {
  ByteWriter writer;
  writer.number(stream.id);
  writer.number(static_cast<std::uint32_t>(stream.kind));
  writer.text(stream.lane);
  writer.text(stream.name);
  return writer.take();
}

Bytes series_payload(StreamId id, std::string_view name) {
  return stream_payload({.id = id, .kind = StreamKind::series, .lane = {}, .name = std::string(name)});
}

Bytes spans_payload(StreamId id, std::string_view lane, std::string_view name) {
  return stream_payload({.id = id, .kind = StreamKind::spans, .lane = std::string(lane), .name = std::string(name)});
}

Bytes end_payload(std::int64_t ended_ns) {
  ByteWriter writer;
  writer.number(ended_ns);
  return writer.take();
}

StreamName payload::read_stream(ByteReader& from) {
  StreamName stream;
  stream.id = from.number<StreamId>();
  const auto kind = from.number<std::uint32_t>();
  stream.lane = from.text();
  stream.name = from.text();
  from.expect_end();
  if (kind > static_cast<std::uint32_t>(StreamKind::spans)) throw senseless("a stream is of no known kind");
  stream.kind = static_cast<StreamKind>(kind);
  return stream;
}

std::size_t blocks_bytes(std::size_t entries) {
  static_assert(sizeof(SampleEntry) == sizeof(SpanEntry));
  const std::size_t full = entries / kEntriesABlock;
  const std::size_t rest = entries % kEntriesABlock;
  return full * chunk_bytes(kBlockHead_bytes + kEntriesABlock * sizeof(SampleEntry)) +
         (rest == 0 ? 0 : chunk_bytes(kBlockHead_bytes + rest * sizeof(SampleEntry)));
}

void check(const SampleEntry& entry) {
  check_count(entry.count);
  if (entry.first_ns > entry.last_ns) throw senseless("a sample is of no time");
}

void check(const SpanEntry& entry) {
  const bool times = entry.first_ns <= entry.last_ns && entry.shortest_ns >= 0 && entry.sum_ns >= 0;
  check_count(entry.count);
  if (!times || entry.longest_ns < entry.shortest_ns) throw senseless("a span is of no time");
}

}  // namespace comity::record
