// SPDX-License-Identifier: BSD-3-Clause
// Shortening: which of a rank's tables a small record keeps whatever else it loses, and how the others come down to a few rows.
// What a component or a kind of object has in all stays right; where that was is told of the rows with most alone. Not: whether there is room (record).
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "memory/rank/book.hpp"
#include "memory/rank/mpi_objects.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

// Put before all others: without them a peak or a leak would be lost.
inline constexpr std::array kPutFirst{kComponentsTable, kTotalsTable,  kPeaksTable,
                                      kRiseTable,       kObjectsTable, kHeldTable};
// Put in short where room runs out, before tables of metrics and after them.
inline constexpr std::array kShortBeforeMetrics{kBordersTable, kRegionSumsTable, kUsesTable, kGrowthTable};
inline constexpr std::array kShortAfterMetrics{kPathsTable, kTouchesTable, kHeldTable, kObjectsTable};

// Left out where even that is not enough for one of kPutFirst, or for one behind it here.
inline constexpr std::array kLeftOutFirst{kBordersTable,  kRegionSumsTable, kPathsTable, kTouchesTable,
                                          kSegmentsTable, kUsesTable,       kGrowthTable};

// Of a fact: the tables that are in short, or left out, without kTablePrefix, with spaces between.
inline constexpr const char* kShortFact = "memory in short";
inline constexpr std::string_view kTablePrefix = "memory.";

// None for tables that stay as they are.
[[nodiscard]] std::optional<record::Table> shortened(const record::Table& table);
// Of a table that is left out: of growth the few places with most, of others none.
[[nodiscard]] record::Table left_out(const record::Table& table);

}  // namespace comity::memory
