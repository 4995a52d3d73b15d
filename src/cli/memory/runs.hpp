// SPDX-License-Identifier: BSD-3-Clause
// Recorded runs beside one another: whose their memory was.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

// Prints a line a run, of records or of what an older tool has left. Throws UsageError if there is none, Error if one does
// not tell. kFindings: one is damaged, which is told too.
int show_side_by_side(std::span<const std::string> folders, bool json, bool csv);

// Prints what a rank of the second of two runs has more than one of the first.
int compare_runs(std::span<const std::string> folders, bool json);

}  // namespace comity::cli
