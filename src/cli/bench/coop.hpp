// SPDX-License-Identifier: BSD-3-Clause
// `comity bench coop`: what waiting in MPI costs an unchanged program under `comity run --coop on`, and what it costs the
// ranks that share its cores. Its program: bench/coop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

[[nodiscard]] std::vector<std::string_view> coop_cases();
[[nodiscard]] std::optional<Goal> coop_goal(std::string_view name);

[[nodiscard]] Report coop(const Options& options);

}  // namespace comity::cli::bench
