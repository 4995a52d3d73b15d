// SPDX-License-Identifier: BSD-3-Clause
// App: the mini-app under an option of `comity run` and without it, in pairs of launches.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/bench/measure/row.hpp"

namespace comity::cli::bench {

// `what` is metrics (--metrics) or memory. Rows for each MPI for which the mini-app stands beside the command: app is twomesh with
// two ranks of a thread each, app_hybrid with two of which one takes both cores for a while. Throws Status::system with what a
// launch said where it fails.
[[nodiscard]] std::vector<Row> app_rows(const std::string& what, const std::vector<std::string>& mpis,
                                        Nanoseconds limit);

}  // namespace comity::cli::bench
