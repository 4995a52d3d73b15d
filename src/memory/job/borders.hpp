// SPDX-License-Identifier: BSD-3-Clause
// What a rank had at borders of regions, from the tables of its record. Not: how it is told (job).
#pragma once

#include "memory/job/job.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

// Throw where a table is none of these.
void add_borders(RankMemory& rank, const record::Table& table);
void add_regions(RankMemory& rank, const record::Table& table);

}  // namespace comity::memory
