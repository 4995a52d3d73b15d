// SPDX-License-Identifier: BSD-3-Clause
// Costs: what an exchange of so many bytes costs, by what lies between its two cores, as measured; and what that makes the
// levels of a site cost. A text: {"bytes": [8, 1024], "costs": [{"apart": ["node"], "pairs": 3, "ns": [1500, 2100]}, ..], "unrest": 1.1}.
// Not: measuring (measure.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace comity::cli {

// One kind of boundary.
struct MeasuredCost {
  std::vector<std::string> apart;  // names of what parts the two cores, the outermost first; empty: nothing does
  std::size_t pairs = 1;           // that were measured
  std::vector<double> ns;          // of each size
};

struct MeasuredCosts {
  std::vector<std::int64_t> bytes;  // sizes, ascending
  std::vector<MeasuredCost> costs;
  double unrest = 1;  // a median beside the best loop, of the worst pair and size; 1 where nobody told
};

inline constexpr double kMostUnrest = 1e6;

// A sentence where something else ran while they were measured; else empty.
[[nodiscard]] std::string unrest_text(const MeasuredCosts& costs);

// `name` is what errors call the text. Throws Error.
[[nodiscard]] MeasuredCosts parse_costs(std::string_view text, const std::string& name);
[[nodiscard]] nlohmann::ordered_json costs_json(const MeasuredCosts& costs);

// [ns] An exchange of this size: between two sizes in proportion, beyond the largest by its bandwidth.
[[nodiscard]] double cost_of(const MeasuredCosts& costs, const MeasuredCost& one, std::int64_t bytes);

// Of each level, outermost first, what crossing it costs more than staying inside the innermost one; none where nothing was
// measured that crosses it outermost.
using LevelCosts = std::vector<std::pair<std::string, double>>;
[[nodiscard]] LevelCosts level_costs(const MeasuredCosts& costs, const std::vector<std::string>& levels,
                                     std::int64_t bytes);

}  // namespace comity::cli
