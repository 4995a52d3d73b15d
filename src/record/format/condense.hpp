// SPDX-License-Identifier: BSD-3-Clause
// Condense: what a full half of a record becomes. The last of each fact and table is copied, and of each stream neighbours in time are merged, with
// steps that double, until all has room. Chunk by chunk, several times over: the content is never in memory as a whole, for the process is the
// program's. Not: who asks for it (writer), what becomes of the halves (rank_file).
#pragma once

#include <cstddef>
#include <span>

#include "record/format/chunk.hpp"
#include "record/format/payload.hpp"

namespace comity::record {

struct FullRoom {
  std::span<const std::byte> chunks;  // read as far as they hold
  Chunk more;                         // that found no room behind them
  std::span<const StreamName>
      streams;  // all that were declared, each at the place of its id, whatever stands in the chunks
};

// Appends it to `into`: the rest, and then samples and spans, which take a half at the most of what the rest leaves of `room_bytes`, or an entry a
// stream. The chunks are read several times. Throws
// Status::internal where there is no room for the rest, and what memory throws that runs out: then a part was appended.
void condense(const FullRoom& full, std::size_t room_bytes, ChunkAppender& into, const HasRead& has_read);

}  // namespace comity::record
