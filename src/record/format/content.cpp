// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/content.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "record/format/some_series.hpp"

namespace comity::record {
namespace {

enum class StreamKind : std::uint32_t { series = 0, spans = 1 };

constexpr std::size_t kEntriesAChunk = 256;  // so that a damaged chunk costs few of them
constexpr std::size_t kBlockHead_bytes = 2 * sizeof(std::uint32_t);

std::size_t blocks_bytes(std::size_t entries) {
  static_assert(sizeof(SampleEntry) == sizeof(SpanEntry));
  const std::size_t full = entries / kEntriesAChunk;
  const std::size_t rest = entries % kEntriesAChunk;
  return full * chunk_bytes(kBlockHead_bytes + kEntriesAChunk * sizeof(SampleEntry)) +
         (rest == 0 ? 0 : chunk_bytes(kBlockHead_bytes + rest * sizeof(SampleEntry)));
}

Bytes stream_payload(StreamId id, StreamKind kind, std::string_view lane, std::string_view name) {
  ByteWriter writer;
  writer.number(id);
  writer.number(static_cast<std::uint32_t>(kind));
  writer.text(lane);
  writer.text(name);
  return writer.take();
}

template <typename Payload>
Payload fixed(std::span<const std::byte> bytes) {
  Payload payload{};
  if (bytes.size() != sizeof(payload)) throw senseless("a sample or span has another size");
  std::memcpy(&payload, bytes.data(), sizeof(payload));
  return payload;
}

// Readers count in signed numbers.
void check_count(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (count == 0 || count > kMost) throw senseless("nobody can count as many as an entry stands for");
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

template <typename Stream>
Stream& known(std::map<StreamId, Stream>& streams, StreamId id) {
  const auto found = streams.find(id);
  if (found == streams.end()) throw senseless("a sample or span is of a stream that was not declared");
  return found->second;
}

bool is_of_timeline(ChunkType type) {
  using enum ChunkType;
  return type == stream || type == sample || type == span || type == samples || type == spans;
}

// By a quarter and not to the double: a rank that merges its record holds them all at once, beside the record.
template <typename Entry>
void add_to(Entries<Entry>& entries, const Entry& one) {
  if (entries.size() == entries.capacity()) entries.reserve(entries.size() + entries.size() / 4 + 4);
  entries.push_back(one);
}

class Decoder {
 public:
  // `series`: the names of those that are taken where not all is.
  Decoder(Content& content, Parts parts, std::span<const std::string_view> series = {})
      : content_(content), parts_(parts), series_(series) {}

  void take(const Chunk& chunk) {
    if (is_of_timeline(chunk.type) && is_passed_over(chunk)) return;
    ByteReader from(chunk.payload);
    switch (chunk.type) {
      case ChunkType::fact:
        return take_fact(from);
      case ChunkType::table:
        return take_table(from);
      case ChunkType::stream:
        return take_stream(from);
      case ChunkType::sample: {
        const auto one = fixed<SamplePayload>(chunk.payload);
        return add_to(known(content_.series, one.id).entries, sample_entry(one.time_ns, one.value));
      }
      case ChunkType::span: {
        const auto one = fixed<SpanPayload>(chunk.payload);
        return add_to(known(content_.spans, one.id).entries, span_entry(one.begin_ns, one.end_ns));
      }
      case ChunkType::samples:
        return take_block(from, content_.series);
      case ChunkType::spans:
        return take_block(from, content_.spans);
      case ChunkType::end:
        content_.ended_ns = from.number<std::int64_t>();
        return;
      case ChunkType::body:
        return;
    }
    // A type that a later library of this version may add: passed over.
  }

 private:
  // Samples of a series that is taken come behind its declaration, so that it is known.
  [[nodiscard]] bool is_passed_over(const Chunk& chunk) const {
    if (parts_ == Parts::all) return false;
    if (series_.empty()) return true;
    ByteReader from(chunk.payload);
    switch (chunk.type) {
      case ChunkType::stream:
        return !is_asked_for(from);
      case ChunkType::sample:
      case ChunkType::samples:
        return !content_.series.contains(from.number<StreamId>());
      default:
        return true;
    }
  }

  [[nodiscard]] bool is_asked_for(ByteReader& stream) const {
    (void)stream.number<StreamId>();
    if (stream.number<std::uint32_t>() == static_cast<std::uint32_t>(StreamKind::spans)) return false;
    (void)stream.text();  // the lane
    return std::find(series_.begin(), series_.end(), stream.text()) != series_.end();
  }

  void take_fact(ByteReader& from) {
    std::string key = from.text();
    std::string value = from.text();
    from.expect_end();
    content_.facts.insert_or_assign(std::move(key), std::move(value));
  }

  void take_table(ByteReader& from) {
    Table table = Table::decode(from);
    from.expect_end();
    std::string name = table.name();
    content_.tables.insert_or_assign(std::move(name), std::move(table));
  }

  void take_stream(ByteReader& from) {
    const auto id = from.number<StreamId>();
    const auto kind = from.number<std::uint32_t>();
    std::string lane = from.text();
    std::string name = from.text();
    from.expect_end();
    if (kind > static_cast<std::uint32_t>(StreamKind::spans)) throw senseless("a stream is of no known kind");
    if (content_.series.contains(id) || content_.spans.contains(id)) throw senseless("a stream is declared twice");
    if (static_cast<StreamKind>(kind) == StreamKind::series) {
      content_.series[id].name = std::move(name);
    } else {
      content_.spans[id] = {.lane = std::move(lane), .name = std::move(name), .entries = {}};
    }
  }

  template <typename Stream>
  void take_block(ByteReader& from, std::map<StreamId, Stream>& streams) {
    using Entry = typename decltype(Stream::entries)::value_type;
    const auto id = from.number<StreamId>();
    const std::size_t count = from.count(from.number<std::uint32_t>(), sizeof(Entry));
    const auto bytes = from.raw(count * sizeof(Entry));
    from.expect_end();
    Entries<Entry> block(count);
    if (count > 0) std::memcpy(block.data(), bytes.data(), bytes.size());
    for (const Entry& entry : block) check(entry);
    Entries<Entry>& entries = known(streams, id).entries;
    entries.insert(entries.end(), block.begin(), block.end());
  }

  Content& content_;
  Parts parts_;
  std::span<const std::string_view> series_;
};

Scan decode_by(Decoder decoder, std::span<const std::byte> chunks, Content& content) {
  const Scan scan = scan_chunks(chunks, [&](const Chunk& chunk) { decoder.take(chunk); });
  const auto by_time = [](const SampleEntry& a, const SampleEntry& b) { return a.first_ns < b.first_ns; };
  for (auto& [id, series] : content.series) {
    auto& entries = series.entries;
    if (!std::is_sorted(entries.begin(), entries.end(), by_time))
      std::stable_sort(entries.begin(), entries.end(), by_time);
  }
  return scan;
}

template <typename Entry>
bool encode_entries(StreamId id, ChunkType type, const Entries<Entry>& entries, ChunkAppender& into) {
  for (std::size_t at = 0; at < entries.size(); at += kEntriesAChunk) {
    const auto block = std::span(entries).subspan(at, std::min(kEntriesAChunk, entries.size() - at));
    ByteWriter writer;
    writer.number(id);
    writer.number(static_cast<std::uint32_t>(block.size()));
    writer.raw(std::as_bytes(block));
    if (!into.append(type, writer.bytes())) return false;
  }
  return true;
}

bool encode_fixed(const Content& content, ChunkAppender& into) {
  for (const auto& [key, value] : content.facts) {
    if (!into.append(ChunkType::fact, fact_payload(key, value))) return false;
  }
  for (const auto& [name, table] : content.tables) {
    if (!into.append(ChunkType::table, table_payload(table))) return false;
  }
  return true;
}

bool encode_timeline(const Content& content, ChunkAppender& into) {
  for (const auto& [id, series] : content.series) {
    if (!into.append(ChunkType::stream, series_payload(id, series.name))) return false;
    if (!encode_entries(id, ChunkType::samples, series.entries, into)) return false;
  }
  for (const auto& [id, spans] : content.spans) {
    if (!into.append(ChunkType::stream, spans_payload(id, spans.lane, spans.name))) return false;
    if (!encode_entries(id, ChunkType::spans, spans.entries, into)) return false;
  }
  return true;
}

// The time that all entries cover.
std::int64_t covered_ns(const Content& content) {
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

bool merge_all_pairs(Content& content, std::int64_t step_ns) {
  bool any = false;
  for (auto& [id, series] : content.series) any |= merge_pairs(series.entries, step_ns);
  for (auto& [id, spans] : content.spans) any |= merge_pairs(spans.entries, step_ns);
  return any;
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

Bytes series_payload(StreamId id, std::string_view name) { return stream_payload(id, StreamKind::series, "", name); }

Bytes spans_payload(StreamId id, std::string_view lane, std::string_view name) {
  return stream_payload(id, StreamKind::spans, lane, name);
}

Bytes end_payload(std::int64_t ended_ns) {
  ByteWriter writer;
  writer.number(ended_ns);
  return writer.take();
}

Scan decode(std::span<const std::byte> chunks, Content& content, Parts parts) {
  return decode_by(Decoder(content, parts), chunks, content);
}

Scan decode_with_series(std::span<const std::byte> chunks, std::span<const std::string_view> names, Content& content) {
  return decode_by(Decoder(content, Parts::fixed, names), chunks, content);
}

bool encode(const Content& content, ChunkAppender& into) {
  if (!encode_fixed(content, into) || !encode_timeline(content, into)) return false;
  return !content.ended_ns || into.append(ChunkType::end, end_payload(*content.ended_ns));
}

Bytes encode(const Content& content) {
  Bytes bytes(encoded_bytes(content));
  ChunkAppender into(bytes, 1);
  if (!encode(content, into)) throw Error(Status::internal, "a record's content is larger than was reckoned");
  return bytes;
}

std::size_t timeline_bytes(const Content& content) {
  std::size_t bytes = 0;
  for (const auto& [id, series] : content.series) bytes += blocks_bytes(series.entries.size());
  for (const auto& [id, spans] : content.spans) bytes += blocks_bytes(spans.entries.size());
  return bytes;
}

std::size_t encoded_bytes(const Content& content) {
  std::size_t bytes = timeline_bytes(content);
  for (const auto& [key, value] : content.facts) bytes += chunk_bytes(fact_payload(key, value).size());
  for (const auto& [name, table] : content.tables) bytes += chunk_bytes(table_payload(table).size());
  for (const auto& [id, series] : content.series) bytes += chunk_bytes(series_payload(id, series.name).size());
  for (const auto& [id, spans] : content.spans) {
    bytes += chunk_bytes(spans_payload(id, spans.lane, spans.name).size());
  }
  if (content.ended_ns) bytes += chunk_bytes(sizeof(*content.ended_ns));
  return bytes;
}

void shrink_timeline(Content& content, std::size_t most_bytes) {
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
