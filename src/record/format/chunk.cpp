// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/chunk.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "record/format/crc32c.hpp"

namespace comity::record {
namespace {

constexpr unsigned kTypeBits = 16;

// Word 0 in memory: bytes, then checksum.
struct First {
  std::uint32_t bytes;
  std::uint32_t checksum;
};
static_assert(sizeof(First) == kChunkWord_bytes);

std::uint64_t& word_at(std::span<std::byte> room, std::size_t offset) {
  return *reinterpret_cast<std::uint64_t*>(room.data() + offset);
}

std::uint64_t load(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof(word));
  return word;
}

std::optional<Chunk> chunk_at(std::span<const std::byte> bytes, std::size_t offset) {
  const auto first = std::bit_cast<First>(load(bytes, offset));
  if (first.bytes < kChunkHeader_bytes || first.bytes > kMostPayload_bytes) return std::nullopt;
  const std::size_t whole = chunk_bytes(first.bytes - kChunkHeader_bytes);
  if (whole > bytes.size() - offset) return std::nullopt;
  const auto summed = bytes.subspan(offset + kChunkWord_bytes, whole - kChunkWord_bytes);
  if (crc32c(summed, first.bytes) != first.checksum) return std::nullopt;
  const std::uint64_t second = load(bytes, offset + kChunkWord_bytes);
  return Chunk{.type = static_cast<ChunkType>(second & ((1U << kTypeBits) - 1)),
               .sequence = second >> kTypeBits,
               .payload = bytes.subspan(offset + kChunkHeader_bytes, first.bytes - kChunkHeader_bytes)};
}

}  // namespace

ChunkAppender::ChunkAppender(std::span<std::byte> room, std::uint64_t first_sequence) noexcept
    : room_(room), sequence_(first_sequence) {
  close_at(0);
}

void ChunkAppender::close_at(std::size_t offset) noexcept {
  if (offset + kChunkWord_bytes > room_.size()) return;
  std::atomic_ref(word_at(room_, offset)).store(0, std::memory_order_relaxed);
}

bool ChunkAppender::append(ChunkType type, std::span<const std::byte> payload) noexcept {
  if (payload.size() > kMostPayload_bytes - kChunkHeader_bytes) return false;
  const std::size_t whole = chunk_bytes(payload.size());
  if (whole > room_.size() - used_) return false;
  const auto chunk = room_.subspan(used_, whole);
  close_at(used_ + whole);
  if (whole > kChunkHeader_bytes) word_at(chunk, whole - kChunkWord_bytes) = 0;  // the padding
  word_at(chunk, kChunkWord_bytes) = (sequence_ << kTypeBits) | static_cast<std::uint64_t>(type);
  if (!payload.empty()) std::memcpy(chunk.data() + kChunkHeader_bytes, payload.data(), payload.size());
  const auto bytes = static_cast<std::uint32_t>(kChunkHeader_bytes + payload.size());
  const First first{.bytes = bytes, .checksum = crc32c(chunk.subspan(kChunkWord_bytes), bytes)};
  std::atomic_ref(word_at(chunk, 0)).store(std::bit_cast<std::uint64_t>(first), std::memory_order_release);
  used_ += whole;
  ++sequence_;
  return true;
}

Scan scan_chunks(std::span<const std::byte> bytes, const std::function<void(const Chunk&)>& visit) {
  Scan scan{.end = ScanEnd::at_end_of_bytes, .stopped_at = 0, .chunks = 0};
  std::uint64_t expected = 0;
  while (bytes.size() - scan.stopped_at >= kChunkWord_bytes) {
    if (load(bytes, scan.stopped_at) == 0) {
      scan.end = ScanEnd::at_zero;
      return scan;
    }
    scan.end = ScanEnd::damaged;
    const std::optional<Chunk> chunk = chunk_at(bytes, scan.stopped_at);
    if (!chunk || (scan.chunks > 0 && chunk->sequence != expected)) return scan;
    try {
      visit(*chunk);
    } catch (const Error&) {
      return scan;
    }
    expected = chunk->sequence + 1;
    scan.stopped_at += chunk_bytes(chunk->payload.size());
    ++scan.chunks;
    scan.end = ScanEnd::at_end_of_bytes;
  }
  if (scan.stopped_at != bytes.size()) scan.end = ScanEnd::damaged;
  return scan;
}

Scan scan_chunks(std::span<const std::byte> bytes, const std::function<void(const Chunk&)>& visit,
                 const HasRead& has_read) {
  constexpr std::size_t kNowAndThen_bytes = std::size_t{64} << 10U;
  std::size_t told_bytes = 0;
  const Scan done = scan_chunks(bytes, [&](const Chunk& chunk) {
    const auto read_bytes = static_cast<std::size_t>(chunk.payload.data() - bytes.data());
    if (read_bytes >= told_bytes + kNowAndThen_bytes) has_read(told_bytes = read_bytes);
    visit(chunk);
  });
  has_read(bytes.size());
  return done;
}

}  // namespace comity::record
