// SPDX-License-Identifier: BSD-3-Clause
#include "record/merge/parcel.hpp"

namespace comity::record {
namespace {

RankEnd end_of(const RankReader& reader) {
  if (reader.is_damaged()) return RankEnd::damaged;
  return reader.ended_well() ? RankEnd::ended : RankEnd::did_not_end;
}

}  // namespace

std::string_view words_for(RankEnd end) {
  if (end == RankEnd::damaged) return "damaged";
  return end == RankEnd::ended ? "ended" : "did not end";
}

void encode(const RankEntry& entry, ByteWriter& into) {
  into.number(entry.rank);
  into.number(entry.node);
  into.number(static_cast<std::uint32_t>(entry.end));
  into.number(std::uint32_t{0});
  into.number(entry.opened_ns);
  into.number(entry.opened_wall_ns);
  into.number(entry.body_at);
  into.number(entry.body_bytes);
}

RankEntry decode_entry(ByteReader& from) {
  RankEntry entry;
  entry.rank = from.number<std::uint32_t>();
  entry.node = from.number<std::uint32_t>();
  const auto end = from.number<std::uint32_t>();
  if (end > static_cast<std::uint32_t>(RankEnd::damaged)) throw senseless("a rank ended in no known way");
  entry.end = static_cast<RankEnd>(end);
  static_cast<void>(from.number<std::uint32_t>());
  entry.opened_ns = from.number<std::int64_t>();
  entry.opened_wall_ns = from.number<std::int64_t>();
  entry.body_at = from.number<std::uint64_t>();
  entry.body_bytes = from.number<std::uint64_t>();
  return entry;
}

Parcel parcel_of(const RankReader& reader) {
  Parcel parcel{.entry = {.rank = reader.who().rank,
                          .node = reader.who().node,
                          .end = end_of(reader),
                          .opened_ns = reader.opened_ns(),
                          .opened_wall_ns = reader.opened_wall_ns(),
                          .body_at = 0,
                          .body_bytes = 0},
                .body = encode(reader.content()),
                .summary = Summary(reader.who().rank, reader.content())};
  parcel.entry.body_bytes = parcel.body.size();
  return parcel;
}

}  // namespace comity::record
