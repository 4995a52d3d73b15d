// SPDX-License-Identifier: BSD-3-Clause
// `comity bench quiesce`: what ranks that wait cost the one that computes, by the mechanism they wait in (Table II of the
// QUO paper). The reference is the same kernel without other ranks. Its program: bench/quiesce.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/measure/comparison.hpp"
#include "cli/bench/options.hpp"
#include "cli/bench/show/report.hpp"

namespace comity::cli::bench {

[[nodiscard]] std::vector<Comparison> quiesce_rows(const std::vector<std::string>& mpis);
// One line of the program's JSON.
[[nodiscard]] Measurement read_measurement(const std::string& json_line);

[[nodiscard]] Report quiesce(const Options& options);

}  // namespace comity::cli::bench
