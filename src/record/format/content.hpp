// SPDX-License-Identifier: BSD-3-Clause
// Content: what the chunks of one rank say, and the way back. Not: where chunks stand (chunk), who may write when (writer).
// Invariant: encode() of what decode() read gives chunks that decode to the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/format/bytes.hpp"
#include "record/format/chunk.hpp"
#include "record/format/payload.hpp"
#include "record/format/table.hpp"
#include "record/format/timeline.hpp"

namespace comity::record {

struct Content {
  std::map<std::string, std::string> facts;
  std::map<std::string, Table> tables;  // by name; the last snapshot
  std::map<StreamId, Series> series;
  std::map<StreamId, Spans> spans;
  std::optional<std::int64_t> ended_ns;  // when its writer closed it; empty: it did not

  friend bool operator==(const Content&, const Content&) = default;
};

enum class Parts : std::uint8_t {
  all,
  fixed,           // facts, tables and the end; what happened over time is passed over
  all_but_entries  // streams too, but of samples and spans none, which are checked
};

// Reads as many chunks as hold. Samples of a series are sorted by time.
[[nodiscard]] Scan decode(
    std::span<const std::byte> chunks, Content& content, Parts parts = Parts::all,
    const HasRead& has_read = [](std::size_t) {});

// Appends all of it. False where there is no room: then a part was appended.
[[nodiscard]] bool encode(const Content& content, ChunkAppender& into);
// Facts and tables of it, by `append`, which says whether there is room.
[[nodiscard]] bool encode_fixed(const Content& content,
                                const std::function<bool(ChunkType, std::span<const std::byte>)>& append);
[[nodiscard]] Bytes encode(const Content& content);

// [bytes] of all chunks, and of those that hold samples and spans.
[[nodiscard]] std::size_t encoded_bytes(const Content& content);
[[nodiscard]] std::size_t timeline_bytes(const Content& content);

}  // namespace comity::record
