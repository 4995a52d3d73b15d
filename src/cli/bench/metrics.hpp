// SPDX-License-Identifier: BSD-3-Clause
// `comity bench metrics`: what measuring a program's MPI costs its messages. Its program: bench/metrics.
#pragma once

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

[[nodiscard]] Report metrics(const Options& options);

}  // namespace comity::cli::bench
