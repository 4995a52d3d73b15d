// SPDX-License-Identifier: BSD-3-Clause
// What `comity place` does beside planning: it writes files for a launcher, or runs a launch line to see whether it does
// as planned.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

}  // namespace comity::cli
