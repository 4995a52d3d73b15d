// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/content.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "record/format/some_series.hpp"

namespace comity::record {
namespace {

template <typename Stream>
Stream& known(std::map<StreamId, Stream>& streams, StreamId id) {
  const auto found = streams.find(id);
  if (found == streams.end()) throw senseless("a sample or span is of a stream that was not declared");
  return found->second;
}

// By a quarter and not to the double: a rank that merges its record holds them all at once, beside the record.
template <typename Entry>
void add_to(Entries<Entry>& entries, std::span<const Entry> more) {
  const std::size_t count = entries.size() + more.size();
  if (count > entries.capacity()) entries.reserve(std::max(count, entries.size() + entries.size() / 4 + 4));
  entries.insert(entries.end(), more.begin(), more.end());
}

class Decoder {
 public:
  // `series`: the names of those that are taken where not all is.
  Decoder(Content& content, Parts parts, std::span<const std::string_view> series = {})
      : content_(content), parts_(parts), series_(series) {}

  void take(const Chunk& chunk) {
    if (!is_of_timeline(chunk.type) || !is_passed_over(chunk)) tell(chunk, *this);
  }

  void take_fact(std::string key, std::string value) {
    content_.facts.insert_or_assign(std::move(key), std::move(value));
  }

  void take_table(Table table) {
    std::string name = table.name();
    content_.tables.insert_or_assign(std::move(name), std::move(table));
  }

  void take_stream(StreamName stream) {
    if (content_.series.contains(stream.id) || content_.spans.contains(stream.id))
      throw senseless("a stream is declared twice");
    if (stream.kind == StreamKind::series) {
      content_.series[stream.id].name = std::move(stream.name);
    } else {
      content_.spans[stream.id] = {.lane = std::move(stream.lane), .name = std::move(stream.name), .entries = {}};
    }
  }

  void take_entries(StreamId id, std::span<const SampleEntry> entries) {
    take_entries_of(known(content_.series, id), entries);
  }
  void take_entries(StreamId id, std::span<const SpanEntry> entries) {
    take_entries_of(known(content_.spans, id), entries);
  }

  void take_end(std::int64_t ended_ns) { content_.ended_ns = ended_ns; }

 private:
  template <typename Stream, typename Entry>
  void take_entries_of(Stream& stream, std::span<const Entry> entries) {
    if (parts_ != Parts::all_but_entries) add_to(stream.entries, entries);
  }

  // Samples of a series that is taken come behind its declaration, so that it is known.
  [[nodiscard]] bool is_passed_over(const Chunk& chunk) const {
    if (parts_ != Parts::fixed) return false;
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

  Content& content_;
  Parts parts_;
  std::span<const std::string_view> series_;
};

Scan decode_by(
    Decoder decoder, std::span<const std::byte> chunks, Content& content,
    const HasRead& has_read = [](std::size_t) {}) {
  const Scan scan = scan_chunks(
      chunks, [&](const Chunk& chunk) { decoder.take(chunk); }, has_read);
  const auto by_time = [](const SampleEntry& a, const SampleEntry& b) { return a.first_ns < b.first_ns; };
  for (auto& [id, series] : content.series) {
    auto& entries = series.entries;
    if (!std::is_sorted(entries.begin(), entries.end(), by_time))
      std::stable_sort(entries.begin(), entries.end(), by_time);
  }
  return scan;
}

template <typename Entry>
bool encode_entries(StreamId id, const Entries<Entry>& entries, ChunkAppender& into) {
  for (std::size_t at = 0; at < entries.size(); at += kEntriesABlock) {
    if (!append_block(id, std::span(entries).subspan(at, std::min(kEntriesABlock, entries.size() - at)), into))
      return false;
  }
  return true;
}

bool encode_timeline(const Content& content, ChunkAppender& into) {
  for (const auto& [id, series] : content.series) {
    if (!into.append(ChunkType::stream, series_payload(id, series.name))) return false;
    if (!encode_entries(id, series.entries, into)) return false;
  }
  for (const auto& [id, spans] : content.spans) {
    if (!into.append(ChunkType::stream, spans_payload(id, spans.lane, spans.name))) return false;
    if (!encode_entries(id, spans.entries, into)) return false;
  }
  return true;
}

}  // namespace

Scan decode(std::span<const std::byte> chunks, Content& content, Parts parts, const HasRead& has_read) {
  return decode_by(Decoder(content, parts), chunks, content, has_read);
}

Scan decode_with_series(std::span<const std::byte> chunks, std::span<const std::string_view> names, Content& content) {
  return decode_by(Decoder(content, Parts::fixed, names), chunks, content);
}

bool encode_fixed(const Content& content, const std::function<bool(ChunkType, std::span<const std::byte>)>& append) {
  for (const auto& [key, value] : content.facts) {
    if (!append(ChunkType::fact, fact_payload(key, value))) return false;
  }
  for (const auto& [name, table] : content.tables) {
    if (!append(ChunkType::table, table_payload(table))) return false;
  }
  return true;
}

bool encode(const Content& content, ChunkAppender& into) {
  const auto append = [&](ChunkType type, std::span<const std::byte> payload) { return into.append(type, payload); };
  if (!encode_fixed(content, append) || !encode_timeline(content, into)) return false;
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

}  // namespace comity::record
