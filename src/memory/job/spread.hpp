// SPDX-License-Identifier: BSD-3-Clause
// Spread: one figure of all ranks of a job.
#pragma once

#include <algorithm>
#include <cmath>

#include "memory/job/job.hpp"

namespace comity::memory {

struct Spread {
  double least = 0, most = 0, mean = 0, deviation = 0;
  int least_rank = 0, most_rank = 0;
};

template <typename Figure>
Spread spread_of(const Job& job, Figure&& figure) {
  Spread spread;
  if (job.ranks.empty()) return spread;
  double sum = 0;
  double squares = 0;
  for (const RankMemory& rank : job.ranks) {
    const auto bytes = static_cast<double>(figure(rank));
    const bool is_first = &rank == job.ranks.data();
    if (is_first || bytes < spread.least) spread.least = bytes, spread.least_rank = rank.rank;
    if (is_first || bytes > spread.most) spread.most = bytes, spread.most_rank = rank.rank;
    sum += bytes;
    squares += bytes * bytes;
  }
  const auto count = static_cast<double>(job.ranks.size());
  spread.mean = sum / count;
  spread.deviation = std::sqrt(std::max(0.0, squares / count - spread.mean * spread.mean));
  return spread;
}

}  // namespace comity::memory
