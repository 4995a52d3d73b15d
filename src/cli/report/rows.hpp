// SPDX-License-Identifier: BSD-3-Clause
// Rows: figures of a job as comma-separated values, one table at a time, the names of its columns in the first line.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "metrics/job/job.hpp"

namespace comity::cli {

inline constexpr std::string_view kMessagesTable = "messages";
inline constexpr std::string_view kFlightTable = "flight";
inline constexpr std::string_view kMemoryTable = "memory";  // this and those behind it are told by memory/job
inline constexpr std::string_view kMemoryNodesTable = "memory-nodes";
inline constexpr std::string_view kMemorySumsTable = "memory-sums";
inline constexpr std::string_view kMemoryMomentsTable = "memory-moments";
inline constexpr std::string_view kMemoryNumaTable = "memory-numa";
inline constexpr std::string_view kMemorySegmentsTable = "memory-segments";
inline constexpr std::string_view kMemorySeriesTable = "memory-series";
inline constexpr std::string_view kMemoryStatisticsTable = "memory-statistics";
inline constexpr std::string_view kMemoryGrowthTable = "memory-growth";
inline constexpr std::string_view kMemoryRegionsTable = "memory-regions";
inline constexpr std::string_view kMemoryBordersTable = "memory-borders";
inline constexpr std::string_view kMemoryHeldTable = "memory-held";
inline constexpr std::string_view kMemoryPathsTable = "memory-paths";
inline constexpr std::string_view kMemoryTouchesTable = "memory-touches";
inline constexpr std::string_view kMemoryVariablesTable = "memory-variables";
inline constexpr std::string_view kMemoryDeltaTable = "memory-delta";
inline constexpr std::string_view kMemoryObjectsTable = "memory-objects";
inline constexpr std::array<std::string_view, 24> kRowTables{"calls",
                                                             "regions",
                                                             "openmp",
                                                             "ranks",
                                                             "nodes",
                                                             kMessagesTable,
                                                             kFlightTable,
                                                             kMemoryTable,
                                                             kMemoryNodesTable,
                                                             kMemorySumsTable,
                                                             kMemoryMomentsTable,
                                                             kMemoryNumaTable,
                                                             kMemorySegmentsTable,
                                                             kMemorySeriesTable,
                                                             kMemoryStatisticsTable,
                                                             kMemoryGrowthTable,
                                                             kMemoryRegionsTable,
                                                             kMemoryBordersTable,
                                                             kMemoryHeldTable,
                                                             kMemoryPathsTable,
                                                             kMemoryTouchesTable,
                                                             kMemoryVariablesTable,
                                                             kMemoryDeltaTable,
                                                             kMemoryObjectsTable};

// One of kRowTables but those of memory. Texts are quoted; a figure that cannot be told is an empty field.
[[nodiscard]] std::string rows_of(const metrics::Job& job, std::string_view table);

}  // namespace comity::cli
