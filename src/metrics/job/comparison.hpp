// SPDX-License-Identifier: BSD-3-Clause
// Comparison: how a run differs from another one of the same program, region by region.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "metrics/job/job.hpp"

namespace comity::metrics {

struct RegionPair {
  std::string path;
  const RegionFigures* here = nullptr;   // null: that run was never in it
  const RegionFigures* there = nullptr;  // the same
  [[nodiscard]] double saved_s() const {
    return (there != nullptr ? there->wall_s : 0) - (here != nullptr ? here->wall_s : 0);
  }
};

// Both jobs must outlive it.
struct Comparison {
  const Job* here;
  const Job* there;
  std::vector<RegionPair> regions;  // the largest difference of time first
};

[[nodiscard]] Comparison compare(const Job& here, const Job& there);

// Figures of both side by side; `there_name` is what the other one is called.
[[nodiscard]] std::string text_of(const Comparison& comparison, const std::string& there_name);
// The sentences at its head: how much faster or slower, and where most of that is.
[[nodiscard]] std::string verdict(const Comparison& comparison);
// One object; docs/metrics.md lists its keys.
[[nodiscard]] nlohmann::ordered_json json_of(const Comparison& comparison);

}  // namespace comity::metrics
