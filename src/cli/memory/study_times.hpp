// SPDX-License-Identifier: BSD-3-Clause
// What the runs of a study took, as they are and recorded, as far as both have been run. Not: running them (study).
#pragma once

#include <vector>

#include "cli/memory/runs.hpp"
#include "cli/memory/study.hpp"

namespace comity::cli {

// Prints a line a run.
int show_times(const std::vector<StudyRun>& runs, RunsForm form);

}  // namespace comity::cli
