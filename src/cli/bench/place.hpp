// SPDX-License-Identifier: BSD-3-Clause
// `comity bench place`: what mappings cut, beside the best of the launchers' own orders, and how long a million ranks take.
#pragma once

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

// Cases: grids, all of them together, and the other rows by their names.
[[nodiscard]] Report place(const Options& options);

}  // namespace comity::cli::bench
