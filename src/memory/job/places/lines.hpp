// SPDX-License-Identifier: BSD-3-Clause
// What the tables on a job's page have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/rank/own_ledger.hpp"

namespace comity::memory {

inline constexpr std::int64_t kLeastShown_bytes = 5243;  // below they are 0.00 MiB
inline constexpr std::size_t kMostLines = 10;            // of a table

// The last line of a table that shows the first kMostLines of so many; empty where those are all. `what`: `places`, `nodes`.
[[nodiscard]] inline std::string more_lines(std::size_t all, const std::string& what, const std::string& table) {
  if (all <= kMostLines) return {};
  return "  and " + std::to_string(all - kMostLines) + " more " + what + ": comity report DIR --csv=" + table + '\n';
}

// Of a path as text, innermost first.
[[nodiscard]] inline std::vector<std::string> frames_of(const std::string& path) {
  std::vector<std::string> frames;
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find(kCallerMark, start), path.size());
    frames.push_back(path.substr(start, end - start));
    start = end + kCallerMark.size();
  }
  return frames;
}

}  // namespace comity::memory
