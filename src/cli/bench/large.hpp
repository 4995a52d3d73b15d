// SPDX-License-Identifier: BSD-3-Clause
// What `comity bench place` asks about a large graph, and the rows of the command that answers it beside Scotch. Not: its mapping in
// this process (place.cpp).
#pragma once

#include <vector>

#include "cli/bench/measure/row.hpp"
#include "cli/bench/options.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "place/site.hpp"

namespace comity::cli::bench {

inline constexpr const char* kLargeName = "graph_100000";
inline constexpr const char* kLargeByDefaultName = "graph_100000_default";  // by the objective that needs not be told
inline constexpr const char* kPackagesName =
    "graph_100000_packages";                                 // what is inside nodes too, which gpart is not asked for
inline constexpr const char* kHubName = "graph_100000_hub";  // one rank has most edges; by the sum
inline constexpr double kMostOfScotch = 1.5;                 // of its time, ours

[[nodiscard]] place::Site large_site();

// All that the command does by the objective sum, and unless told, its graph in a file; gpart reads it from one and writes what it found, too.
[[nodiscard]] std::vector<Row> large_command_rows(const std::vector<Partitioner>& peers, const place::Graph& graph,
                                                  const Options& options);
[[nodiscard]] std::vector<Row> hub_command_rows(const std::vector<Partitioner>& peers, const place::Graph& graph,
                                                const Options& options);

}  // namespace comity::cli::bench
