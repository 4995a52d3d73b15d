// SPDX-License-Identifier: BSD-3-Clause
// Chunks: the pieces that a record grows by, one after the other in a piece of memory.
//
//   word 0:  bytes (32 bits: of header and payload, without padding) | checksum (32 bits)
//   word 1:  type (16 bits) | sequence (48 bits)
//   payload, padded with zeroes to 8 bytes
//
// The checksum is the CRC-32C of word 1 and the padded payload, continued from the value `bytes`. Word 0 is written last, in
// one store, and the word behind the chunk is zero before that: at every instant the chunks end at a word 0 that is zero, or at
// the end of the memory. Sequences go up by one from chunk to chunk, so that what an earlier generation left behind the
// end is never taken for a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace comity::record {

enum class ChunkType : std::uint16_t {
  fact = 1,
  table = 2,
  stream = 3,   // declares a series or a span stream
  sample = 4,   // one
  span = 5,     // one
  samples = 6,  // many of one series, each perhaps merged from several
  spans = 7,    // the same of spans
  end = 8,      // the writer has closed the record; the last
  body = 9,     // in a merged file: whose chunks follow
};

inline constexpr std::size_t kChunkHeader_bytes = 16;
inline constexpr std::size_t kChunkWord_bytes = 8;
inline constexpr std::size_t kMostPayload_bytes = 0x7FFFFFF0;

// What a payload of so many bytes takes.
[[nodiscard]] constexpr std::size_t chunk_bytes(std::size_t payload_bytes) {
  return kChunkHeader_bytes + (payload_bytes + kChunkWord_bytes - 1) / kChunkWord_bytes * kChunkWord_bytes;
}

// Appends. For one thread at a time; a kill at any instruction leaves whole chunks.
class ChunkAppender {
 public:
  ChunkAppender() = default;
  // `room` is aligned to 8 bytes; what stands there is forgotten.
  ChunkAppender(std::span<std::byte> room, std::uint64_t first_sequence) noexcept;

  // False, and nothing changed, where there is no room.
  [[nodiscard]] bool append(ChunkType type, std::span<const std::byte> payload) noexcept;

  [[nodiscard]] std::size_t used_bytes() const { return used_; }  // without the closing zero
  [[nodiscard]] std::uint64_t next_sequence() const { return sequence_; }

 private:
  void close_at(std::size_t offset) noexcept;

  std::span<std::byte> room_;
  std::size_t used_ = 0;
  std::uint64_t sequence_ = 0;
};

struct Chunk {
  ChunkType type;
  std::uint64_t sequence;
  std::span<const std::byte> payload;
};

enum class ScanEnd { at_zero, at_end_of_bytes, damaged };

struct Scan {
  ScanEnd end;
  std::size_t stopped_at;  // [bytes] where the next chunk would begin
  std::uint64_t chunks;
};

// Told each 64 KiB, and at the end, how many of the bytes are not needed for a while.
using HasRead = std::function<void(std::size_t read_bytes)>;

// Visits the chunks of `bytes` (aligned or not) up to the first that does not hold. A visit that throws comity::Error says that
// its chunk does not.
[[nodiscard]] Scan scan_chunks(std::span<const std::byte> bytes, const std::function<void(const Chunk&)>& visit);
[[nodiscard]] Scan scan_chunks(std::span<const std::byte> bytes, const std::function<void(const Chunk&)>& visit,
                               const HasRead& has_read);

}  // namespace comity::record
