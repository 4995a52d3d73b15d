// SPDX-License-Identifier: BSD-3-Clause
// The index of run.comity: all that is read of a job without looking at the body of any rank.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/format/bytes.hpp"
#include "record/format/summary.hpp"
#include "record/merge/parcel.hpp"

namespace comity::record {

struct RunIndex {
  std::string job;
  std::uint32_t job_ranks = 0;             // that the job had; perhaps more than have a body
  std::vector<RankEntry> ranks;            // by rank; each once
  std::map<std::uint32_t, Summary> nodes;  // by number
  Summary all;                             // of the job: its nodes merged
  std::vector<std::string> notes;          // sentences: what went wrong with a rank's record

  void encode(ByteWriter& into) const;
  // Throws Status::argument where the bytes are no index, or a body would stand outside `bodies_end`.
  [[nodiscard]] static RunIndex decode(ByteReader& from, std::uint64_t bodies_end);
  friend bool operator==(const RunIndex&, const RunIndex&) = default;
};

}  // namespace comity::record
