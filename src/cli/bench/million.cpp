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
  judge_whole_job(time, memory);
  return {time, memory};
}

}  // namespace

std::vector<Row> million_rows(const Million& one, const Options& options) {
  std::vector<Row> rows = million_ranks(one, options);
  if (one.command_words.empty()) return rows;
  const auto ranks = static_cast<std::size_t>(rows.back().ranks);
  for (Row& row : command_rows(one.name, ranks, command_words(one), options)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace comity::cli::bench
