// SPDX-License-Identifier: BSD-3-Clause
// Recorded runs beside one another: whose their memory was.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace comity::cli {

enum class RunsForm { text, json, csv };
// What a column, or a line, is: a run, a number of ranks, or a number of ranks a node.
enum class RunsOver { runs, ranks, ranks_a_node };

struct SideBySide {
  RunsForm form = RunsForm::text;
  RunsOver over = RunsOver::runs;
  std::vector<std::string> against;  // of ranks: runs whose figures are taken off
  std::string against_name;          // as it was named
  std::string picture;               // a file; "": none
};

// Prints runs side by side, of records or of what older tools have left. Throws UsageError if there is none, Error if one does
// not tell. kFindings: one is damaged, which is told too.
int show_side_by_side(std::span<const std::string> places, const SideBySide& wished);

// Prints what a rank of the second of two runs has more than one of the first.
int compare_runs(std::span<const std::string> folders, bool json);

}  // namespace comity::cli
