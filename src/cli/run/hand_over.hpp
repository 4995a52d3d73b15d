// SPDX-License-Identifier: BSD-3-Clause
// Variables for the ranks of a job, and for nobody else: as options of its launcher. What the user's line says of the same
// variable gives way; a LD_PRELOAD of theirs is kept behind ours.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/launch_line.hpp"
#include "os/process/become.hpp"

namespace comity::cli::launch {

using os::Variable;
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

inline constexpr std::string_view kPreload = "LD_PRELOAD";

// "ours:theirs"; ours alone where theirs is empty or has it already.
[[nodiscard]] std::string preload_joined(const std::string& ours, const std::string& theirs);

// What the ranks of a program of that line get of a variable: by its options, or from the launcher's environment.
[[nodiscard]] std::optional<std::string> value_for(const LaunchLine& line, const Part& part, std::string_view name,
                                                   const Environment& environment, const IsProgram& is_program);

// Changes the options of `line`. `environment` is the launcher's. Throws UsageError for a line that cannot be given
// variables.
void hand_over(LaunchLine& line, const std::vector<Variable>& variables, const Environment& environment,
               const IsProgram& is_program);

}  // namespace comity::cli::launch
