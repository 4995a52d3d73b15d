// SPDX-License-Identifier: BSD-3-Clause
// `comity bench fortran`: what a call costs from Fortran over the same call from C. Its program: bench/fortran.
#pragma once

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

[[nodiscard]] Report fortran(const Options& options);

}  // namespace comity::cli::bench
