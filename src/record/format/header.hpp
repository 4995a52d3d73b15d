// SPDX-License-Identifier: BSD-3-Clause
// The headers of the two kinds of files. Fixed-width structs; docs/record.md describes them byte by byte. Changing anything
// here raises kVersion.
//
//   rank file:    RankHeader | half 0 | half 1         one half holds the chunks of the current generation
//   run.comity:   RunHeader  | bodies of ranks | index  a body is the chunks of one rank
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace comity::record {

inline constexpr std::uint64_t kRankMagic = 0x6B6E6172796D6F63;  // "comyrank" in memory, low byte first
inline constexpr std::uint64_t kRunMagic = 0x6E7572796D6F63C3;   // "\xC3" "comyrun": no text begins so
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kByteOrder = 0x01020304;

// Who wrote it.
struct Identity {
  std::uint32_t rank = 0;   // in the job
  std::uint32_t ranks = 1;  // of the job
  std::uint32_t node = 0;   // number of its node in the job
};

struct RankHeader {
  std::uint64_t magic;  // magic, version, byte_order, header_bytes keep their place in every version
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint32_t header_bytes;
  std::uint32_t rank;
  std::uint32_t ranks;
  std::uint32_t node;
  std::uint64_t half_bytes;     // of each half
  std::int64_t opened_ns;       // on the node's clock (CLOCK_MONOTONIC)
  std::int64_t opened_wall_ns;  // the same moment since 1970, UTC
  std::uint64_t process;        // in its own pid namespace
  std::uint64_t generation;     // grows; an even one stands in half 0, an odd one in half 1. Not in the checksum
  std::uint32_t reserved;
  std::uint32_t checksum;  // CRC-32C of all before `generation`
};
static_assert(sizeof(RankHeader) == 80 && std::is_standard_layout_v<RankHeader>);

struct RunHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint32_t header_bytes;
  std::uint32_t index_checksum;  // CRC-32C of the index
  std::uint64_t index_at;        // [bytes] from the start of the file
  std::uint64_t index_bytes;
  std::uint32_t reserved;
  std::uint32_t checksum;  // CRC-32C of all before it
};
static_assert(sizeof(RunHeader) == 48 && std::is_standard_layout_v<RunHeader>);

// [bytes] Where the half that counts begins.
[[nodiscard]] inline std::uint64_t half_offset(const RankHeader& header) {
  return sizeof(RankHeader) + header.generation % 2 * header.half_bytes;
}

[[nodiscard]] std::uint32_t checksum_of(const RankHeader& header);
[[nodiscard]] std::uint32_t checksum_of(const RunHeader& header);

// Throw Status::argument (no record), Status::version (a newer one: both numbers), Status::unsupported (another byte order);
// the sentence begins with `path`. `start` are the first bytes of the file.
[[nodiscard]] RankHeader check_rank_header(const std::string& path, std::span<const std::byte> start);
[[nodiscard]] RunHeader check_run_header(const std::string& path, std::span<const std::byte> start,
                                         std::uint64_t file_bytes);

}  // namespace comity::record
