// SPDX-License-Identifier: BSD-3-Clause
// `comity bench sched`: what fibers, tasks and nested teams cost beside other runtimes that are here. Its programs: bench/sched,
// one with each OpenMP.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

// Those that --cases may name, "nest" for both of the nests among them.
[[nodiscard]] std::vector<std::string_view> sched_cases();
[[nodiscard]] bool is_wanted(const std::vector<std::string>& cases, std::string_view name);
// What a case has to reach beside that peer.
[[nodiscard]] std::optional<Goal> sched_goal(std::string_view name, std::string_view peer);

[[nodiscard]] Report sched(const Options& options);

}  // namespace comity::cli::bench
