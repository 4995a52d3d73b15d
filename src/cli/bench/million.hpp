// SPDX-License-Identifier: BSD-3-Clause
// The rows of `comity bench place` about a million ranks: the time and the memory of a mapping, and of the command.
#pragma once

#include <vector>

#include "cli/bench/measure/row.hpp"
#include "cli/bench/options.hpp"
#include "cli/bench/subject/million_ranks.hpp"

namespace comity::cli::bench {

// Of one case: mapped in a child.
[[nodiscard]] std::vector<Row> million_rows(const Million& one, const Options& options);
// And mapped by the command.
[[nodiscard]] std::vector<Row> million_command_rows(const Million& one, const Options& options);

}  // namespace comity::cli::bench
