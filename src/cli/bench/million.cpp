// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/million.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cli/bench/place_row.hpp"

namespace comity::cli::bench {
namespace {

void judge_million(Row& time, Row& memory) {
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

// The time and the memory of one case: the least of a few, for what disturbs the machine only ever adds.
std::vector<Row> million_ranks(const Million& one, const Options& options) {
  const int times = times_of(options);
  Row time = row_named(one.name, 1'000'000, "s"),
      memory = row_named(std::string(one.name) + "_memory", 1'000'000, "MB");
  time.count = memory.count = static_cast<std::size_t>(times);
  time.value = time.reference_value = memory.value = std::numeric_limits<double>::max();
  for (int i = 0; i < times; ++i) {
    const std::optional<Million::Figures> figures = in_child(one);
    if (!figures) return {absent(time, "the child that maps came to no end"), absent(memory, "the same")};
    time.ranks = memory.ranks = static_cast<int>(figures->ranks);
    time.value = std::min(time.value, figures->mapping_s);
    time.reference_value = std::min(time.reference_value, figures->counting_s);
    memory.value = std::min(memory.value, figures->peak_MB);
    time.extra = {{"nodes_sum", static_cast<double>(figures->sum)}, {"inside", static_cast<double>(figures->inside)}};
    if (figures->bound > 0) time.extra.emplace_back("bound", static_cast<double>(figures->bound));
  }
  time.reference = "counting once";
  judge_million(time, memory);
  return {time, memory};
}

// The same by the command, as a user has it; the least of a few.
std::vector<Row> million_by_command(const Million& one, int ranks, const Options& options) {
  const int times = times_of(options);
  const std::string name = std::string(one.name) + "_command";
  const auto count = static_cast<std::size_t>(ranks);
  Row time = row_named(name, count, "s"), memory = row_named(name + "_memory", count, "MB");
  time.count = memory.count = static_cast<std::size_t>(times);
  time.value = memory.value = std::numeric_limits<double>::max();
  for (int i = 0; i < times; ++i) {
    const std::optional<CommandFigures> figures = by_command(one);
    if (!figures) return {absent(time, "the command failed"), absent(memory, "the same")};
    time.value = std::min(time.value, figures->seconds);
    memory.value = std::min(memory.value, figures->peak_MB);
    time.extra = {{"output_MB", figures->output_MB}};
  }
  judge_million(time, memory);
  return {time, memory};
}

}  // namespace

std::vector<Row> million_rows(const Million& one, const Options& options) {
  std::vector<Row> rows = million_ranks(one, options);
  if (one.command_words.empty()) return rows;
  for (Row& row : million_by_command(one, rows.back().ranks, options)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace comity::cli::bench
