// SPDX-License-Identifier: BSD-3-Clause
// What of a rank's memory is read from its series, where a record has some. Not: of its tables (reading), nor of all ranks at one moment (timelines).
#pragma once

#include <vector>

#include "memory/job/job.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

// What the rule of older tools gave, by time.
[[nodiscard]] std::vector<DeltaStretch> delta_over_time(const record::Content& content);
// Of a rank that told no end up to when it told, and the most that its samples have.
void note_cut_off(RankMemory& rank, const record::Content& content);

}  // namespace comity::memory
