// SPDX-License-Identifier: BSD-3-Clause
#include "record/run/body_start.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "record/format/chunk.hpp"

namespace comity::record {
namespace {

constexpr std::size_t kMostJob_bytes = 1024;
constexpr std::uint64_t kMostBody_bytes = 2ULL << 30U;  // no writer makes a larger one

// What tells it from nearly all other bytes without a checksum.
bool may_be_start(std::span<const std::byte> bytes) {
  if (bytes.size() < kChunkHeader_bytes) return false;
  std::uint64_t second = 0;
  std::memcpy(&second, bytes.data() + kChunkWord_bytes, sizeof second);
  return second == static_cast<std::uint64_t>(ChunkType::body);  // of sequence 0
}

// The first chunk of these bytes, as long as `take` has it.
template <typename Take>
void take_first_chunk(std::span<const std::byte> bytes, Take&& take) {
  bool is_first = true;
  (void)scan_chunks(bytes, [&](const Chunk& chunk) {
    if (!is_first) throw senseless("one is enough");
    is_first = false;
    take(chunk);
  });
}

BodyStart decode_start(std::span<const std::byte> payload) {
  ByteReader from(payload);
  BodyStart start;
  start.entry = decode_entry(from);
  start.job = from.text();
  from.expect_end();
  return start;
}

}  // namespace

Bytes body_start(RankEntry& entry, std::string_view job, std::size_t content_bytes) {
  const auto payload_of = [&] {
    ByteWriter payload;
    encode(entry, payload);
    payload.text(job.substr(0, kMostJob_bytes));
    return payload.take();
  };
  Bytes chunk(chunk_bytes(payload_of().size()));
  entry.body_bytes = chunk.size() + content_bytes;
  ChunkAppender into(chunk, 0);
  if (!into.append(ChunkType::body, payload_of()))
    throw Error(Status::internal, "the start of a body is larger than was reckoned");
  return chunk;
}

std::optional<BodyStart> body_start_in(std::span<const std::byte> bytes, std::uint64_t at) {
  if (!may_be_start(bytes)) return std::nullopt;
  std::optional<BodyStart> found;
  take_first_chunk(bytes.first(std::min(bytes.size(), kMostStart_bytes)),
                   [&](const Chunk& chunk) { found = decode_start(chunk.payload); });
  if (!found) return std::nullopt;
  const RankEntry& entry = found->entry;
  const bool is_here = entry.body_at == at && is_of_a_job(entry);
  return is_here && entry.body_bytes > kChunkHeader_bytes && entry.body_bytes <= kMostBody_bytes ? found : std::nullopt;
}

std::span<const std::byte> without_start(std::span<const std::byte> body) {
  std::size_t start_bytes = 0;
  if (may_be_start(body)) {
    take_first_chunk(body, [&](const Chunk& chunk) { start_bytes = chunk_bytes(chunk.payload.size()); });
  }
  return body.subspan(start_bytes);
}

}  // namespace comity::record
