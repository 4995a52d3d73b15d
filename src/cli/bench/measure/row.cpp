// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/row.hpp"

#include <algorithm>

namespace comity::cli::bench {

std::optional<Goal> goal_of(std::span<const NamedGoal> goals, const std::string& name) {
  for (const NamedGoal& row : goals) {
    if (row.name == name) return row.goal;
  }
  return std::nullopt;
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::measured:
      return "measured";
    case Verdict::met:
      return "met";
    case Verdict::missed:
      return "missed";
    case Verdict::absent:
      return "absent";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

Verdict verdict_of(const std::optional<Goal>& goal, const std::optional<Interval>& ci95) {
  if (!goal) return Verdict::measured;
  if (!ci95) return Verdict::undecided;
  if (ci95->high <= goal->bound) return Verdict::met;
  return ci95->low > goal->bound ? Verdict::missed : Verdict::undecided;
}

double Row::extra_named(const std::string& key) const {
  const auto found = std::find_if(extra.begin(), extra.end(), [&](const auto& pair) { return pair.first == key; });
  return found == extra.end() ? 0.0 : found->second;
}

}  // namespace comity::cli::bench
