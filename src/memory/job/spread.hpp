// SPDX-License-Identifier: BSD-3-Clause
// Spread: one figure of all ranks of a job.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "memory/job/job.hpp"

namespace comity::memory {

struct Spread {
  double least = 0, most = 0, mean = 0, deviation = 0;
  int least_rank = 0, most_rank = 0;
};

// A rank that has none (std::nullopt) does not count.
template <typename Figure>
Spread spread_of(const Job& job, Figure&& figure) {
  Spread spread;
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (const RankMemory& rank : job.ranks) {
    const std::optional<std::int64_t> told = figure(rank);
    if (!told) continue;
    const auto bytes = static_cast<double>(*told);
    const bool is_first = count == 0;
    if (is_first || bytes < spread.least) spread.least = bytes, spread.least_rank = rank.rank;
    if (is_first || bytes > spread.most) spread.most = bytes, spread.most_rank = rank.rank;
    ++count;
    sum += bytes;
    squares += bytes * bytes;
  }
  if (count == 0) return spread;
  spread.mean = sum / count;
  spread.deviation = std::sqrt(std::max(0.0, squares / count - spread.mean * spread.mean));
  return spread;
}

// By which measure all ranks have kept the rule of older tools; "" where they have not, or not in the same way.
inline std::string delta_method_of(const Job& job) {
  if (job.ranks.empty() || !job.ranks.front().delta) return {};
  const std::string& method = job.ranks.front().delta->method;
  const bool have_all = std::all_of(job.ranks.begin(), job.ranks.end(),
                                    [&](const RankMemory& rank) { return rank.delta && rank.delta->method == method; });
  return have_all ? method : std::string();
}

// [bytes] That of a rank by this rule; 0 where it has not kept it.
inline std::int64_t delta_peak_of(const RankMemory& rank) { return rank.delta ? rank.delta->peak : 0; }
inline std::int64_t delta_last_of(const RankMemory& rank) { return rank.delta ? rank.delta->last : 0; }

}  // namespace comity::memory
