// SPDX-License-Identifier: BSD-3-Clause
// `comity bench place`: what mappings cut, beside the best of the launchers' own orders, and how long a million ranks take.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

// What options.cases may name: `grids`, all of them together; `commands`, the rows of the command alone; the others by their names.
[[nodiscard]] std::vector<std::string_view> place_cases();
// How many random jobs there are to name.
[[nodiscard]] std::size_t place_jobs();
[[nodiscard]] Report place(const Options& options);

}  // namespace comity::cli::bench
