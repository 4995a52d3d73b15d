// SPDX-License-Identifier: BSD-3-Clause
// A job's figures for people, and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "metrics/job/job.hpp"

namespace comity::metrics {

// One screen: what to look at first, efficiencies, regions, functions, threads.
[[nodiscard]] std::string text_of(const Job& job);
// The one or two sentences at its head.
[[nodiscard]] std::string verdict(const Job& job);
// One object; docs/metrics.md lists its keys.
[[nodiscard]] nlohmann::ordered_json json_of(const Job& job);

}  // namespace comity::metrics
