// SPDX-License-Identifier: BSD-3-Clause
// The options of `comity place`. Not: what their words mean (job, nodes, hosts, network).
#pragma once

#include "cli/common/arguments.hpp"
#include "cli/place/request.hpp"

namespace comity::cli {

void add_place_options(CLI::App& options, PlaceRequest& request);

// A measurement places nothing. Throws UsageError where an option is told that is about a plan.
void reject_options_of_plans(const CLI::App& options);

}  // namespace comity::cli
