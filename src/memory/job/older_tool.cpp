// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/older_tool.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "memory/job/mib.hpp"
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
constexpr std::string_view kSampleKey = "Number of smaps Captures Performed";

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // False: there is none.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  [[nodiscard]] std::size_t number() const { return number_; }

  // Its texts are as long as the room that they stood in, with zeros at their ends.
  [[nodiscard]] static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank(" \t\r\0", 4);
    const std::size_t start = text.find_first_not_of(kBlank);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
  }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

[[noreturn]] void refuse(const Lines& lines, const std::string& why) {
  throw Error(Status::argument, "line " + std::to_string(lines.number()) + ": " + why);
}

double number_in(const Lines& lines, std::string_view key, std::string_view value) {
  constexpr double kMost = 1e12;  // MB, and numbers of ranks
  double number = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (problem != std::errc{} || end != value.data() + value.size() || !(number >= 0 && number <= kMost))
    refuse(lines, "\"" + std::string(key) + "\" is no number that can be: \"" + std::string(value) + '"');
  return number;
}

// Its MB are MiB.
std::int64_t bytes_of_megabytes(double megabytes) { return std::llround(megabytes * kMiB); }

void note(RankMemory& rank, const Lines& lines, std::string_view key, std::string_view value) {
  if (key == kHostKey) rank.host = std::string(value);
  if (key == kRankKey) rank.rank = static_cast<int>(std::min(number_in(lines, key, value), 2e9));
  if (key == kMpiKey) rank.delta->peak = bytes_of_megabytes(number_in(lines, key, value));
  if (key == kAllKey) rank.peak_rss_bytes = bytes_of_megabytes(number_in(lines, key, value));
  if (key == kSampleKey) rank.delta->samples = std::llround(number_in(lines, key, value));
}

// Up to the end of its block. Keys that it has beside are left alone.
RankMemory rank_in(Lines& lines) {
  RankMemory rank;
  rank.delta.emplace().method = kDeltaPssMethod;
  bool has_mpi = false;
  bool has_all = false;
  for (std::string_view line; lines.next(line) && line != kEnd;) {
    const std::size_t colon = line.find(':');
    if (line.empty() || line.front() != '#' || colon == std::string_view::npos)
      refuse(lines, "\"" + std::string(line.substr(0, 40)) + "\" is no `# KEY: VALUE`");
    const std::string_view key = Lines::trimmed(line.substr(1, colon - 1));
    note(rank, lines, key, Lines::trimmed(line.substr(colon + 1)));
    has_mpi = has_mpi || key == kMpiKey;
    has_all = has_all || key == kAllKey;
  }
  if (!has_mpi || !has_all) refuse(lines, "the block of a rank ends without its watermarks");
  return rank;
}

}  // namespace

bool is_of_older_tool(std::string_view text) { return text.starts_with(kBegin); }

Job job_of_older_tool(std::string_view text) {
  Job job;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line == kBegin) job.ranks.push_back(rank_in(lines));
  }
  return job;
}

}  // namespace comity::memory
