// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/older_tool.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "memory/job/lines_of_others.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/sum.hpp"
#include "memory/rank/delta.hpp"

namespace comity::memory {
namespace {

// A rank's part begins with a block of "# KEY: VALUE" between these; its samples follow.
constexpr std::string_view kBegin = "# [Run Info Begin]";
constexpr std::string_view kEnd = "# [Run Info End]";
constexpr std::string_view kRankKey = "MPI_COMM_WORLD Rank";
constexpr std::string_view kHostKey = "Hostname";
constexpr std::string_view kMpiKey = "High Memory Usage Watermark (MPI) (MB)";
constexpr std::string_view kAllKey = "High Memory Usage Watermark (Application + MPI) (MB)";
constexpr std::string_view kProgramKey = "Application Name";
constexpr std::string_view kMpiSample = "MPI_MEM_USAGE ";
constexpr std::string_view kAllSample = "ALL_MEM_USAGE ";
constexpr std::string_view kSampleKey = "Number of smaps Captures Performed";

// Its MB are MiB.
std::int64_t bytes_of_megabytes(double megabytes) { return std::llround(megabytes * kMiB); }

void note(RankMemory& rank, const OthersLines& lines, std::string_view key, std::string_view value) {
  if (key == kHostKey) rank.host = std::string(value);
  if (key == kRankKey) rank.rank = static_cast<int>(std::min(lines.number(key, value), 2e9));
  if (key == kMpiKey) rank.delta->peak = bytes_of_megabytes(lines.number(key, value));
  if (key == kAllKey) rank.peak_rss_bytes = bytes_of_megabytes(lines.number(key, value));
  if (key == kSampleKey) rank.delta->samples = std::llround(lines.number(key, value));
}

// Up to the end of its block. Keys that it has beside are left alone.
RankMemory rank_in(OthersLines& lines, std::string* program = nullptr) {
  RankMemory rank;
  rank.delta.emplace().method = kDeltaPssMethod;
  bool has_mpi = false;
  bool has_all = false;
  for (std::string_view line; lines.next(line) && line != kEnd;) {
    const std::size_t colon = line.find(':');
    if (line.empty() || line.front() != '#' || colon == std::string_view::npos)
      lines.refuse("\"" + std::string(line.substr(0, 40)) + "\" is no `# KEY: VALUE`");
    const std::string_view key = OthersLines::trimmed(line.substr(1, colon - 1));
    note(rank, lines, key, OthersLines::trimmed(line.substr(colon + 1)));
    if (program != nullptr && key == kProgramKey) *program = std::string(OthersLines::trimmed(line.substr(colon + 1)));
    has_mpi = has_mpi || key == kMpiKey;
    has_all = has_all || key == kAllKey;
  }
  if (!has_mpi || !has_all) lines.refuse("the block of a rank ends without its watermarks");
  return rank;
}

// "MPI_MEM_USAGE MPI_Send 0.125 4.5": behind the call, in seconds and MB.
struct OlderSample {
  std::string_view function;
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;
};

OlderSample sample_in(const OthersLines& lines, std::string_view line) {
  const auto next_word = [&] {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
  };
  (void)next_word();
  OlderSample sample;
  sample.function = next_word();
  constexpr double kMost_s = 1e9;
  sample.time_ns = std::llround(1e9 * std::clamp(lines.signed_number("time", next_word()), -kMost_s, kMost_s));
  sample.bytes = bytes_of_megabytes(lines.signed_number("usage", next_word()));
  return sample;
}

// Its usage is the sum of what all calls so far changed all by.
void take_mpis(RankMemory& rank, RankTimelines& timelines, const OlderSample& sample) {
  DeltaFigures& delta = *rank.delta;
  DeltaFigures::Calls& calls = delta.by_function[std::string(sample.function)];
  const std::int64_t change = sample.bytes - delta.last;
  ++calls.calls;
  add_to(change > 0 ? calls.grown : calls.shrunk, std::abs(change));
  const bool cannot_be = sample.bytes < 0 || sample.bytes > rank.peak_rss_bytes;
  calls.impossible += cannot_be ? 1 : 0;
  delta.impossible += cannot_be ? 1 : 0;
  delta.last = sample.bytes;
  timelines.components["mpi"].push_back(
      {sample.time_ns, sample.time_ns, static_cast<double>(std::max<std::int64_t>(0, sample.bytes))});
}

void take_samples(RankMemory& rank, RankTimelines& timelines, OthersLines& lines, std::string_view line) {
  if (line.starts_with(kMpiSample)) take_mpis(rank, timelines, sample_in(lines, line));
  if (!line.starts_with(kAllSample)) return;
  const OlderSample sample = sample_in(lines, line);
  timelines.total.push_back(
      {sample.time_ns, sample.time_ns, static_cast<double>(std::max<std::int64_t>(0, sample.bytes))});
}

}  // namespace

bool is_of_older_tool(std::string_view text) { return text.starts_with(kBegin); }

Job job_of_older_tool(std::string_view text) {
  Job job;
  OthersLines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line == kBegin) job.ranks.push_back(rank_in(lines));
  }
  return job;
}

OlderRun run_of_older_tool(std::string_view text) {
  OlderRun run;
  OthersLines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line == kBegin) {
      run.job.ranks.push_back(rank_in(lines, &run.program));
      run.timelines.ranks.push_back({run.job.ranks.back().rank, {}, {}, {}});
    } else if (!run.job.ranks.empty()) {
      take_samples(run.job.ranks.back(), run.timelines.ranks.back(), lines, line);
    }
  }
  std::erase_if(run.timelines.ranks, [](const RankTimelines& rank) { return rank.total.empty(); });
  return run;
}

}  // namespace comity::memory
