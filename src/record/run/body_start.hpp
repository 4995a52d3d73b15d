// SPDX-License-Identifier: BSD-3-Clause
// The chunk that each body of run.comity begins with: whose it is, where it stands and how long it is, so that bodies are found where the
// index cannot be read. Its sequence is 0, before those of the rank's own chunks. Who reads by the index passes over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/format/bytes.hpp"
#include "record/merge/parcel.hpp"

namespace comity::record {

struct BodyStart {
  RankEntry entry;  // body_at, body_bytes: with this chunk
  std::string job;
};

inline constexpr std::uint32_t kMostRanks = 1U << 24U;  // of a job

// Whether its numbers can be those of a rank and of a node. No other entry is written, or taken from a file.
[[nodiscard]] inline bool is_of_a_job(const RankEntry& entry) {
  return entry.rank < kMostRanks && entry.node < kMostRanks;
}

inline constexpr std::size_t kMostStart_bytes = 2048;  // of such a chunk: a longer job's name is cut

// The chunk; sets body_bytes of `entry`, which stands at body_at and has `content_bytes` behind the chunk.
[[nodiscard]] Bytes body_start(RankEntry& entry, std::string_view job, std::size_t content_bytes);

// What stands at the beginning of these bytes, which are read from `at` of the file. None: no start of a body, or one of another place.
[[nodiscard]] std::optional<BodyStart> body_start_in(std::span<const std::byte> bytes, std::uint64_t at);

// Behind a start, if there is one: bodies go from file to file.
[[nodiscard]] std::span<const std::byte> without_start(std::span<const std::byte> body);

}  // namespace comity::record
