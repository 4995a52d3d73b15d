// SPDX-License-Identifier: BSD-3-Clause
// What the rows of `comity bench place` have in common: one figure of one job without MPI.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/measure/row.hpp"
#include "cli/bench/options.hpp"

namespace comity::cli::bench {

[[nodiscard]] Row row_named(const std::string& name, std::size_t ranks, const std::string& unit);
// Its ratio, and its verdict by one figure without an interval.
void judge(Row& row, Goal goal);
// What a whole job may take: two seconds and 1 GB. A time that has a reference keeps it.
void judge_whole_job(Row& time, Row& memory);
[[nodiscard]] Row absent(Row row, const std::string& why);
// How often a time is taken: once where there is no time.
[[nodiscard]] int times_of(const Options& options);

// Another program that answers the same question from a file: how long it takes, and how many times as long the command may.
struct Rival {
  std::string name;
  double most_ratio;
  std::function<std::optional<double>()> seconds;  // none where it fails
};

// The rows NAME_command and NAME_command_memory: `comity place` with these words as a user runs it, the least of a few. A rival
// runs in turn with it, and is the time's reference then.
[[nodiscard]] std::vector<Row> command_rows(const std::string& name, std::size_t ranks,
                                            const std::vector<std::string>& words, const Options& options,
                                            const std::optional<Rival>& rival = std::nullopt);

}  // namespace comity::cli::bench
