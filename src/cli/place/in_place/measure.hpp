// SPDX-License-Identifier: BSD-3-Clause
// Measure: what exchanges cost on a machine, by a launch line with bench-place-<mpi> in the program's place. Not: timing (the
// program does, bench/place), nor what costs mean for a plan (costs.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/place/in_place/costs.hpp"
#include "cli/run/surroundings.hpp"
#include "place/network.hpp"

namespace comity::cli {

inline constexpr std::chrono::seconds kLongestMeasurement{300};

// The launch line with the program that measures in place of each program. Throws UsageError and Error.
[[nodiscard]] std::vector<std::string> line_with_measurement(const std::vector<std::string>& line,
                                                             const launch::Surroundings& here);

// Names of levels of a network that part two hosts, the outermost first.
using PartHosts = std::function<std::vector<std::string>(const std::string& one, const std::string& other)>;
// `hosts`: by position; may be empty.
[[nodiscard]] PartHosts parting_in(const place::Network& network, const std::vector<std::string>& hosts);

// Of the line that the program printed: pairs with the same boundary between them are one cost, by the median. Throws Error.
[[nodiscard]] MeasuredCosts read_pairs(std::string_view line, const PartHosts& part_hosts);

[[nodiscard]] std::string measured_text(const MeasuredCosts& measured, const std::string& file);

}  // namespace comity::cli
