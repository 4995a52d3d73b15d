// SPDX-License-Identifier: BSD-3-Clause
// What a merge moves: the body of each rank with an entry that says whose it is, and the summary of each node. A sink takes
// them, bodies piece by piece: the file of the run, or the way to the next rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "record/format/bytes.hpp"
#include "record/format/summary.hpp"
#include "record/rank_reader.hpp"

namespace comity::record {

enum class RankEnd : std::uint32_t { ended = 0, did_not_end = 1, damaged = 2 };  // how its file ended

[[nodiscard]] std::string_view words_for(RankEnd end);

struct RankEntry {
  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  RankEnd end = RankEnd::ended;
  std::int64_t opened_ns = 0;
  std::int64_t opened_wall_ns = 0;
  std::uint64_t body_at = 0;  // [bytes] in the file of the run
  std::uint64_t body_bytes = 0;
  friend bool operator==(const RankEntry&, const RankEntry&) = default;
};

void encode(const RankEntry& entry, ByteWriter& into);
[[nodiscard]] RankEntry decode_entry(ByteReader& from);

enum class BodyEnd : std::uint32_t { whole = 0, broken = 1 };

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  // A body: its beginning, its pieces in their order, its end. One that did not come whole is left out.
  virtual void begin_rank(const RankEntry& entry) = 0;
  virtual void take_piece(std::span<const std::byte> piece) = 0;
  virtual void end_rank(BodyEnd end) = 0;
  void take_rank(const RankEntry& entry, std::span<const std::byte> body) {
    begin_rank(entry);
    take_piece(body);
    end_rank(BodyEnd::whole);
  }
  virtual void take_node(std::uint32_t node, const Summary& summary) = 0;
  virtual void take_note(const std::string& note) = 0;  // a sentence for who reads the record
};

// One rank's share of a record.
struct Parcel {
  RankEntry entry;
  Bytes body;
  Summary summary;
};

[[nodiscard]] Parcel parcel_of(const RankReader& reader);

}  // namespace comity::record
