// SPDX-License-Identifier: BSD-3-Clause
// `comity bench interpose`: what the wrapper of an MPI function adds to a call. Its program: bench/interpose.
#pragma once

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

[[nodiscard]] Report interpose(const Options& options);

}  // namespace comity::cli::bench
