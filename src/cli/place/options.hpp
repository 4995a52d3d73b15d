// SPDX-License-Identifier: BSD-3-Clause
// The options of `comity place`. Not: what their words mean (job, nodes, hosts, network).
#pragma once

#include "cli/common/arguments.hpp"
#include "cli/place/request.hpp"

namespace comity::cli {

void add_place_options(CLI::App& options, PlaceRequest& request);

}  // namespace comity::cli
