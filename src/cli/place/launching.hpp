// SPDX-License-Identifier: BSD-3-Clause
// What `comity place` does beside planning: it writes files for a launcher, or runs a launch line, to see whether it does
// as planned or to measure what exchanges cost.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/place/in_place/measure.hpp"
#include "cli/place/launch_files.hpp"
#include "cli/place/request.hpp"
#include "place/hosts.hpp"
#include "place/plan.hpp"

namespace comity::cli {

// Throws UsageError for options of launching that do not go together.
void require_one_launch(const PlaceRequest& request);

// Writes the files that --output asks for. Throws UsageError where hosts are missing, and Error where a file cannot be written.
[[nodiscard]] LaunchFiles write_launch(const PlaceRequest& request, const place::Plan& plan,
                                       const std::vector<place::Host>& hosts);
[[nodiscard]] std::string launch_text(const LaunchFiles& launch);
[[nodiscard]] nlohmann::ordered_json launch_json(const LaunchFiles& launch);

// Runs the launch line, prints the verdict and returns the exit code.
[[nodiscard]] int verify_launch(const PlaceRequest& request, const place::Plan& plan,
                                const std::vector<place::Host>& hosts);

// Runs the launch line, writes what it told of costs, prints it, and returns the exit code.
[[nodiscard]] int measure_costs(const PlaceRequest& request, const PartHosts& part_hosts);

}  // namespace comity::cli
