// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/million.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cli/bench/place_row.hpp"
#include "cli/bench/subject/scratch_file.hpp"

namespace comity::cli::bench {

// The time and the memory of one case: the least of a few, for what disturbs the machine only ever adds.
std::vector<Row> million_rows(const Million& one, const Options& options) {
  const int times = times_of(options);
  Row time = row_named(one.name, one.ranks, "s"),
      memory = row_named(std::string(one.name) + "_memory", one.ranks, "MB");
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

std::vector<Row> million_command_rows(const Million& one, const Options& options) {
  std::vector<std::string> words = command_words(one);
  const ScratchFile network;
  if (one.network_text != nullptr) {
    std::ofstream(network.path()) << one.network_text();
    words.insert(words.end(), {"--network", network.path()});
  }
  return command_rows(one.name, one.ranks, words, options);
}

}  // namespace comity::cli::bench
