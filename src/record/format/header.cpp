// SPDX-License-Identifier: BSD-3-Clause
#include "record/format/header.hpp"

#include <cstring>

#include "base/error.hpp"
#include "record/format/crc32c.hpp"

namespace comity::record {
namespace {

constexpr std::uint64_t kMostHalf_bytes = 1U << 30U;  // no writer makes a larger one

template <typename Header>
std::uint32_t checksum_up_to(const Header& header, std::size_t bytes) {
  return crc32c(std::as_bytes(std::span(&header, 1)).first(bytes));
}

// What every version and kind of header has in common.
template <typename Header>
Header check_common(const std::string& path, std::span<const std::byte> start, std::uint64_t magic) {
  Header header{};
  if (start.size() < sizeof(header)) {
    throw Error(Status::argument, path + " is no record: it has " + std::to_string(start.size()) +
                                      " bytes, and a header alone has " + std::to_string(sizeof(header)));
  }
  std::memcpy(&header, start.data(), sizeof(header));
  if (header.magic == __builtin_bswap64(magic) || (header.magic == magic && header.byte_order != kByteOrder)) {
    throw Error(Status::unsupported, path + " was written on a machine of another byte order; read it on such a one");
  }
  if (header.magic == 0) {
    throw Error(Status::argument, path + " is empty: its process ended while it made it");
  }
  if (header.magic != magic) throw Error(Status::argument, path + " is no record: it begins otherwise");
  if (header.version > kVersion) {
    throw Error(Status::version, path + " is of version " + std::to_string(header.version) +
                                     ", and this library reads up to " + std::to_string(kVersion) +
                                     "; read it with the Comity that wrote it or a newer one");
  }
  if (header.version == 0 || header.header_bytes != sizeof(header) || header.checksum != checksum_of(header)) {
    throw Error(Status::argument, path + " is damaged: its header does not match its checksum");
  }
  return header;
}

}  // namespace

std::uint32_t checksum_of(const RankHeader& header) { return checksum_up_to(header, offsetof(RankHeader, generation)); }

std::uint32_t checksum_of(const RunHeader& header) { return checksum_up_to(header, offsetof(RunHeader, checksum)); }

RankHeader check_rank_header(const std::string& path, std::span<const std::byte> start) {
  const auto header = check_common<RankHeader>(path, start, kRankMagic);
  if (header.half_bytes % 8 != 0 || header.half_bytes > kMostHalf_bytes || header.rank >= header.ranks) {
    throw Error(Status::argument, path + " is damaged: its header tells of rank " + std::to_string(header.rank) +
                                      " of " + std::to_string(header.ranks) + " and of " +
                                      std::to_string(header.half_bytes) + " bytes a half");
  }
  return header;
}

RunHeader check_run_header(const std::string& path, std::span<const std::byte> start, std::uint64_t file_bytes) {
  const auto header = check_common<RunHeader>(path, start, kRunMagic);
  if (header.index_at > file_bytes || header.index_bytes > file_bytes - header.index_at) {
    throw Error(Status::argument, path + " is cut off: its index should end at byte " +
                                      std::to_string(header.index_at + header.index_bytes) + ", and it has " +
                                      std::to_string(file_bytes));
  }
  return header;
}

}  // namespace comity::record
