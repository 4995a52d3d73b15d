// SPDX-License-Identifier: BSD-3-Clause
// Row: one figure of a benchmark beside its reference, as it is shown and as it stands in the JSON. Not: how it came about
// (comparison.hpp, samples.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/measure/statistics.hpp"

namespace comity::cli::bench {

// What has to be at most `bound`: the ratio to the reference, the value, or by how much it is more than the reference.
struct Goal {
  enum class On : std::uint8_t { ratio, value, difference };

  double bound;
  On on = On::ratio;

  friend bool operator==(const Goal&, const Goal&) = default;
};

// Of the case of that name.
struct NamedGoal {
  std::string_view name;
  Goal goal;
};
[[nodiscard]] std::optional<Goal> goal_of(std::span<const NamedGoal> goals, const std::string& name);

enum class Verdict : std::uint8_t { measured, met, missed, undecided, absent };
[[nodiscard]] const char* verdict_name(Verdict verdict);
// By the side of the bound on which the whole interval lies; undecided where the bound is inside, or there is no interval.
[[nodiscard]] Verdict verdict_of(const std::optional<Goal>& goal, const std::optional<Interval>& ci95);

// One of the jobs that a row counts, in which somebody else has less.
struct LostJob {
  std::size_t number;
  std::string by;
  double ours, theirs;
};

struct Row {
  std::string name;  // of the case
  std::string mpi;
  int ranks = 0;
  int threads = 0;
  double value = 0.0;
  std::string unit;
  double deviation = 0.0;        // standard, of the values
  std::optional<Interval> ci95;  // of the ratio; of the value or the difference where the goal is on it
  std::size_t count = 0;         // of pairs or samples
  std::string reference;
  double reference_value = 0.0;
  double ratio = 0.0;
  std::optional<Goal> goal;
  Verdict verdict = Verdict::measured;
  std::vector<std::pair<std::string, double>> extra;
  std::string why_absent = {};  // there are no figures, and this is why
  std::vector<LostJob> lost = {};

  [[nodiscard]] double extra_named(const std::string& key) const;  // 0 where the row has none
};

}  // namespace comity::cli::bench
