// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/place_row.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "cli/bench/subject/place_command.hpp"

namespace comity::cli::bench {

Row row_named(const std::string& name, std::size_t ranks, const std::string& unit) {
  Row row;
  row.name = name;
  row.mpi = "no MPI";
  row.ranks = static_cast<int>(ranks);
  row.threads = 1;
  row.unit = unit;
  row.count = 1;
  return row;
}

void judge(Row& row, Goal goal) {
  row.ratio = row.value / row.reference_value;
  row.goal = goal;
  const double judged = goal.on == Goal::On::ratio ? row.ratio : row.value;
  row.verdict = judged <= goal.bound ? Verdict::met : Verdict::missed;
}

void judge_whole_job(Row& time, Row& memory) {
  constexpr double kMost_s = 2.0, kMost_MB = 1000.0;
  if (time.reference.empty()) {
    time.reference = "2 s";
    time.reference_value = kMost_s;
  }
  memory.reference = "1 GB";
  memory.reference_value = kMost_MB;
  judge(time, {kMost_s, Goal::On::value});
  judge(memory, {kMost_MB, Goal::On::value});
}

Row absent(Row row, const std::string& why) {
  row.verdict = Verdict::absent;
  row.why_absent = why;
  return row;
}

int times_of(const Options& options) { return options.time_limit.count() > 0 ? 3 : 1; }

std::vector<Row> command_rows(const std::string& name, std::size_t ranks, const std::vector<std::string>& words,
                              const Options& options, const std::optional<Rival>& rival) {
  const int times = times_of(options);
  Row time = row_named(name + "_command", ranks, "s"), memory = row_named(name + "_command_memory", ranks, "MB");
  time.count = memory.count = static_cast<std::size_t>(times);
  time.value = memory.value = std::numeric_limits<double>::max();
  for (int i = 0; i < times; ++i) {
    const std::optional<CommandFigures> figures = by_command(words);
    if (!figures) return {absent(time, "the command failed"), absent(memory, "the same")};
    time.value = std::min(time.value, figures->seconds);
    memory.value = std::min(memory.value, figures->peak_MB);
    time.extra = {{"output_MB", figures->output_MB}};
    if (const std::optional<double> theirs = rival ? rival->seconds() : std::nullopt) {
      time.reference_value = time.reference.empty() ? *theirs : std::min(time.reference_value, *theirs);
      time.reference = rival->name;
    }
  }
  const bool beside = !time.reference.empty();
  judge_whole_job(time, memory);
  if (beside) judge(time, {rival->most_ratio});
  return {time, memory};
}

}  // namespace comity::cli::bench
