// SPDX-License-Identifier: BSD-3-Clause
// The row `random` of `comity bench place`: in how many random jobs somebody else has less. Not: the jobs, and who wins one
// (random_jobs).
#pragma once

#include <vector>

#include "cli/bench/measure/row.hpp"
#include "cli/bench/options.hpp"
#include "cli/bench/show/progress.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "cli/bench/subject/random_jobs.hpp"

namespace comity::cli::bench {

// As many of the jobs that are wanted as there is time for, a few always.
[[nodiscard]] Row random_row(const std::vector<Partitioner>& peers, const Options& options, Progress& progress);
// Of what was found in those that were looked at.
[[nodiscard]] Row random_row(const RandomScore& found);

}  // namespace comity::cli::bench
