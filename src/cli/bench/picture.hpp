// SPDX-License-Identifier: BSD-3-Clause
// The log-log picture of a benchmark over numbers of ranks, as the dissertation's Fig. 5.1: a line a case, a panel an MPI.
#pragma once

#include <string>

#include "cli/bench/report.hpp"

namespace comity::cli::bench {

// SVG text of the rows in nanoseconds; rows in other units are left out. No scripts, no fonts of its own.
[[nodiscard]] std::string to_svg(const Report& report);

// Writes it; throws Status::system with the path where that fails.
void write_svg(const Report& report, const std::string& path);

}  // namespace comity::cli::bench
