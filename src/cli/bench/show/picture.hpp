// SPDX-License-Identifier: BSD-3-Clause
// The log-log picture of a benchmark, a panel an MPI: of quo times over numbers of ranks, a line a case; of memory message rates
// over sizes, two lines a number of pairs. Not: how lines are drawn (chart).
#pragma once

#include <string>

#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

// SVG text of the rows that fit in; the others are left out. No scripts, no fonts of its own.
[[nodiscard]] std::string to_svg(const Report& report);

// Writes it; throws Status::system with the path where that fails.
void write_svg(const Report& report, const std::string& path);

}  // namespace comity::cli::bench
