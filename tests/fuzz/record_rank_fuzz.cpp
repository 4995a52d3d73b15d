// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes are refused as the file of a rank, or read up to where they make no sense; and what was read is
// written and read again as the same.
//
// The first byte chooses: a whole file, or chunks whose checksums and sequences are set right, for a fuzzer cannot guess those.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "record/clock_map.hpp"
#include "record/format/chunk.hpp"
#include "record/format/condense.hpp"
#include "record/format/content.hpp"
#include "record/format/header.hpp"
#include "record/format/summary.hpp"

namespace {

using namespace comity::record;

void expect(bool holds) {
  if (!holds) std::abort();
}

// The chunks that the bytes tell of by their sizes, each appended anew.
Bytes with_right_checksums(std::span<const std::byte> bytes) {
  Bytes room(2 * bytes.size() + 64);
  ChunkAppender chunks(room, 1);
  while (bytes.size() >= kChunkHeader_bytes) {
    std::uint32_t size = 0;
    std::uint16_t type = 0;
    std::memcpy(&size, bytes.data(), sizeof(size));
    std::memcpy(&type, bytes.data() + kChunkWord_bytes, sizeof(type));
    bytes = bytes.subspan(kChunkHeader_bytes);
    const std::size_t payload =
        std::min<std::size_t>(bytes.size(), size < kChunkHeader_bytes ? 0 : size - kChunkHeader_bytes);
    if (!chunks.append(static_cast<ChunkType>(type), bytes.first(payload))) break;
    bytes = bytes.subspan(std::min(bytes.size(), chunk_bytes(payload) - kChunkHeader_bytes));
  }
  room.resize(chunks.used_bytes());
  return room;
}

// As a writer does, which knows all streams and declares them by their numbers.
void condense_again(std::span<const std::byte> chunks, const Content& content, std::size_t room_bytes) {
  std::vector<StreamName> streams(content.series.size() + content.spans.size());
  for (const auto& [id, series] : content.series) {
    if (id >= streams.size()) return;
    streams[id] = {id, StreamKind::series, {}, series.name};
  }
  for (const auto& [id, spans] : content.spans) {
    if (id >= streams.size()) return;
    streams[id] = {id, StreamKind::spans, spans.lane, spans.name};
  }
  Bytes room(room_bytes + chunk_bytes(sizeof(std::int64_t)));
  ChunkAppender into(room, 1);
  const Bytes end = end_payload(1);
  try {
    condense({chunks, {ChunkType::end, 0, end}, streams}, room.size(), into, [](std::size_t) {});
  } catch (const comity::Error&) {
    return;  // facts and names took more room than a half leaves them
  }
  Content back;
  expect(decode(std::span(room).first(into.used_bytes()), back).end == ScanEnd::at_end_of_bytes);
  expect(back.facts == content.facts && back.series.size() == content.series.size() &&
         back.spans.size() == content.spans.size());
}

void read_and_write_again(std::span<const std::byte> chunks) {
  Content content;
  const Scan scan = decode(chunks, content);
  expect(scan.stopped_at <= chunks.size());
  const Bytes again = encode(content);
  Content back;
  expect(decode(again, back).end == ScanEnd::at_end_of_bytes);
  expect(encode(back) == again);  // bytes, for what is no number does not equal itself
  (void)ClockMap::from_facts(content.facts).on_rank_0(content.ended_ns.value_or(0));
  Summary summary(0, content);
  summary.merge(Summary(1, back));
  condense_again(chunks, content, again.size());
}

void read_file(std::span<const std::byte> bytes) {
  try {
    const RankHeader header = check_rank_header("input", bytes);
    const std::size_t from =
        std::min<std::size_t>(bytes.size(), sizeof(header) + header.generation % 2 * header.half_bytes);
    read_and_write_again(bytes.subspan(from));
  } catch (const comity::Error&) {
    return;  // refused
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes < 1) return 0;
  Bytes aligned(bytes - 1);
  if (bytes > 1) std::memcpy(aligned.data(), data + 1, bytes - 1);
  switch (data[0] % 3) {
    case 0:
      read_file(aligned);
      break;
    case 1:
      read_and_write_again(aligned);
      break;
    default:
      read_and_write_again(with_right_checksums(aligned));
  }
  return 0;
}
