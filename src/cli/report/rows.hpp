// SPDX-License-Identifier: BSD-3-Clause
// Rows: figures of a job as comma-separated values, one table at a time, the names of its columns in the first line.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "metrics/job.hpp"

namespace comity::cli {

inline constexpr std::string_view kMessagesTable = "messages";
inline constexpr std::string_view kMemoryTable = "memory";    // told by memory/job
inline constexpr std::string_view kObjectsTable = "objects";  // the same
inline constexpr std::array<std::string_view, 7> kRowTables{"calls",        "regions",    "ranks",      "nodes",
                                                            kMessagesTable, kMemoryTable, kObjectsTable};

// One of kRowTables but those that memory/job tells. Texts are quoted; a figure that cannot be told is an empty field.
[[nodiscard]] std::string rows_of(const metrics::Job& job, std::string_view table);

}  // namespace comity::cli
