// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI in which ranks whose waits are cooperative spin all the same, as a plan tells of them. Not: which they are
// (coop/blocking_calls), nor how often a run was in them (metrics).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/run/plan.hpp"

namespace comity::cli::launch {

// As comments of a shell, each line behind a line's end.
[[nodiscard]] std::string list_of_spinning_calls(const Plan& plan);

// What was decided of waits, and these calls.
[[nodiscard]] nlohmann::ordered_json coop_to_json(const Plan& plan);

}  // namespace comity::cli::launch
